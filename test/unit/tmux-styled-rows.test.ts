import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { StyledRows } from '#dist/actors/tmux/styled-rows.js';
import { Screen } from '#dist/workers/shard/screen/screen.js';
import { RECORDED_NAMES, RECORDED_SIZES, recordingName } from '../support/screen-record.js';
import { styledRowsOf } from '../support/screen-rows.js';
import { Tmux } from '../support/screen-tmux.js';

const FOLDER = fileURLToPath(new URL('../fixtures/screens/', import.meta.url));

function styled(rows: readonly string[]): string[] {
  const made = new StyledRows();
  return rows.map((row) => made.next(row));
}

describe('rows of capture-pane', () => {
  test.each<[string, string[], string[]]>([
    ['plain text', ['a b', '', ' c'], ['a b', '', ' c']],
    ['looks that end in the row', ['\x1b[31mred\x1b[39m!'], ['\x1b[31mred\x1b[m!']],
    [
      'looks that go on in the next row, and end there',
      ['\x1b[1m\x1b[31mbold', 'and red\x1b[0m no more', 'plain'],
      ['\x1b[1;31mbold\x1b[m', '\x1b[1;31mand red\x1b[m no more', 'plain'],
    ],
    ['looks that the next row only takes back', ['\x1b[7mx', '\x1b[0mplain'], ['\x1b[7mx\x1b[m', 'plain']],
    ['looks that change', ['\x1b[31ma\x1b[1mb'], ['\x1b[31ma\x1b[0;31;1mb\x1b[m']],
    ['an empty row amid looks', ['\x1b[44mx', '', 'y'], ['\x1b[44mx\x1b[m', '', '\x1b[44my\x1b[m']],
    ['blanks at the end', ['a   ', '\x1b[31mr\x1b[39m   '], ['a', '\x1b[31mr\x1b[m']],
    ['coloured blanks at the end', ['a\x1b[44m  ', '\x1b[49m  '], ['a\x1b[44m  \x1b[m', '']],
    [
      'colours of every form',
      ['\x1b[38;5;196;48;2;1;2;3mx\x1b[58:2::4:5:6my\x1b[38:5:9;59;49mz', '\x1b[39;97;107ma\x1b[mb'],
      [
        '\x1b[38;5;196;48;2;1;2;3mx\x1b[0;38;5;196;48;2;1;2;3;58:2::4:5:6my\x1b[0;38:5:9mz\x1b[m',
        '\x1b[97;107ma\x1b[mb',
      ],
    ],
    [
      'underlines of every form, and none',
      ['\x1b[4ma\x1b[4:3mb\x1b[24mc\x1b[21md\x1b[4:0me'],
      ['\x1b[4ma\x1b[0;4:3mb\x1b[mc\x1b[21md\x1b[me'],
    ],
    [
      'attributes that end one by one',
      ['\x1b[1;2;3;5;7;8;9;53ma\x1b[22;23;25;27mb\x1b[28;29;55mc'],
      ['\x1b[1;2;3;5;7;8;9;53ma\x1b[0;8;9;53mb\x1b[mc'],
    ],
    ['line drawing, on into the next row', ['\x0elqk\x0f l \x0ex', 'mqj\x0f'], ['┌─┐ l │', '└─┘']],
    ['links', ['\x1b]8;id=1;http://x\x1b\\link\x1b]8;;\x1b\\ \x1b]8;;http://y\x07y'], ['link y']],
    ['wide and combined characters', ['中e\u0301🎉'], ['中e\u0301🎉']],
  ])('%s', (_what, rows, expected) => {
    expect(styled(rows)).toEqual(expected);
  });
});

describe("tmux's capture of a program", () => {
  const tmux = new Tmux();
  afterAll(() => tmux.dispose());

  /** The look of rows, each up to its last character: tmux captures no blanks erased in a colour. */
  function looksOf(screen: Screen): string[] {
    const rows = styledRowsOf(screen);
    return rows.map((row) => row.replace(/(?:\x1b\[[\d:;]*m| )+$/, ''));
  }

  function screenAfter(output: string, cols: number, rows: number): Screen {
    const screen = new Screen({ cols, rows, scrollback: 0, onReply: () => {} });
    screen.feed(Buffer.from(output));
    return screen;
  }

  describe.each(RECORDED_NAMES)('%s', (name) => {
    test.each(RECORDED_SIZES)('looks as on a plain PTY at $cols x $rows', async ({ cols, rows }) => {
      const all = readFileSync(FOLDER + recordingName(name, { cols, rows })).toString();
      for (const part of [0.3, 0.6, 0.8]) {
        // Cuts before a sequence, not within a sequence.
        const output = all.slice(0, all.indexOf('\x1b[', Math.floor(all.length * part)));
        const captured = styled(await tmux.rowsAfter(output, { cols, rows }, ['-e', '-N']));
        const drawn = captured.map((row, index) => `\x1b[${index + 1}H${row}`).join('');
        expect(looksOf(screenAfter(drawn, cols, rows))).toEqual(looksOf(screenAfter(output, cols, rows)));
        for (const row of captured) expect(row.replace(/\x1b\[[\d:;]*m/g, '')).not.toMatch(/[\x00-\x1f]/);
      }
    });
  });
});
