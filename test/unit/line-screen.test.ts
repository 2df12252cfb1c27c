import xterm from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineScreen } from '#dist/command/outer/line-screen.js';

const COLS = 8;
const ROWS = 5;

describe('a screen of lines', () => {
  test('shows the last picture, whatever was there before', async () => {
    const line = fc.constantFrom(
      '',
      'a',
      'abcdefgh',
      '界界界界',
      '\x1b[7mreverse \x1b[m',
      '\x1b[31mred\x1b[m x',
    );
    const pictures = fc.array(fc.array(line, { maxLength: ROWS }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(pictures, async (list) => {
        const terminal = new xterm.Terminal({ cols: COLS, rows: ROWS, allowProposedApi: true });
        const screen = new LineScreen();
        const text = `before\r\n${screen.enter()}${list.map((lines) => screen.draw(lines)).join('')}`;
        await new Promise<void>((resolve) => terminal.write(text, resolve));
        const { active } = terminal.buffer;
        const rows = Array.from({ length: ROWS }, (_, row) => active.getLine(row)!.translateToString(true));
        const wanted = Array.from({ length: ROWS }, (_, row) =>
          (list.at(-1)![row] ?? '').replace(/\x1b\[\d*m/g, '').trimEnd(),
        );
        expect(rows.map((row) => row.trimEnd())).toEqual(wanted);
        terminal.dispose();
      }),
      { numRuns: 100 },
    );
  });

  test('draws only what has changed', () => {
    const screen = new LineScreen();
    screen.enter();
    expect(screen.draw(['one', 'two', 'three'])).toContain('two');
    expect(screen.draw(['one', 'two', 'three'])).toBe('');
    const changed = screen.draw(['one', 'TWO']);
    expect(changed).toContain('\x1b[2;1H\x1b[m\x1b[2KTWO');
    expect(changed).toContain('\x1b[3;1H\x1b[m\x1b[2K\x1b[m');
    expect(changed).not.toContain('one');
    screen.clear();
    expect(screen.draw(['one', 'TWO'])).toContain('one');
  });

  test('is given back once, and only if it was taken', () => {
    const screen = new LineScreen();
    expect(screen.leave(ROWS)).toBe('');
    screen.enter();
    expect(screen.leave(ROWS)).toContain('\x1b[?1049l');
    expect(screen.leave(ROWS)).toBe('');
  });
});
