import { describe, expect, test } from 'vitest';
import { questionAt } from '#dist/actors/agents/question.js';

const ask = (screen: string, mark: string) => {
  const rows = screen.split('\n');
  return questionAt(
    rows,
    rows.findIndex((row) => row.includes(mark)),
  );
};

describe('the question on a screen', () => {
  test('is the dialog around the row, without its frame', () => {
    const screen = [
      'older output',
      '╭──────────────────────────────╮',
      '│ Bash command                 │',
      '│                              │',
      '│   rm -rf dist                │',
      '│                              │',
      '│                              │',
      '│ Do you want to proceed?      │',
      '│ ❯ 1. Yes                     │',
      '│   2. No                      │',
      '╰──────────────────────────────╯',
      '  ? for shortcuts',
    ].join('\n');
    const question = 'Bash command\n\n  rm -rf dist\n\nDo you want to proceed?\n❯ 1. Yes\n  2. No';
    for (const mark of ['Do you want', '1. Yes', 'rm -rf']) expect(ask(screen, mark)).toBe(question);
  });

  test('without any frame is what is above the row and right below it', () => {
    expect(ask('> fix it\nmain.py\nAdd file? (Y)es/(N)o: \n\n', 'Add file')).toBe(
      '> fix it\nmain.py\nAdd file? (Y)es/(N)o:',
    );
  });

  test('ends at a line across the screen, but not at dashes of a list or a row of blanks', () => {
    const screen =
      'done\n────────────────\n  Which?\n   - a\n\n   ---\n  Esc to cancel\n────────────────\n> ';
    expect(ask(screen, 'Esc')).toBe('Which?\n - a\n\n ---\nEsc to cancel');
  });

  test('has a bounded number of rows', () => {
    const rows = Array.from({ length: 100 }, (_, row) => `row ${row}`);
    expect(questionAt(rows, 50).split('\n')).toEqual(rows.slice(30, 59));
    expect(questionAt(rows, 0).split('\n')).toEqual(rows.slice(0, 9));
    expect(questionAt(['', '', ''], 1)).toBe('');
  });
});
