import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { Screen } from '#dist/workers/shard/screen/screen.js';
import { RECORDED_NAMES, RECORDED_SIZES, recordingName } from '../support/screen-record.js';
import { linesOf, styledRowsOf } from '../support/screen-rows.js';

const FOLDER = fileURLToPath(new URL('../fixtures/screens/', import.meta.url));

function screenOf(bytes: string | Uint8Array, cols = 20, rows = 3, scrollback = 100): Screen {
  const screen = new Screen({ cols, rows, scrollback, onReply: () => {} });
  screen.feed(Buffer.from(bytes));
  return screen;
}

const rowsOf = (bytes: string) => styledRowsOf(screenOf(bytes));

describe('styled rows', () => {
  test.each([
    ['plain text', 'a b\r\nc', ['a b', 'c', '']],
    ['a colour that ends with the row', '\x1b[31mred\x1b[m!', ['\x1b[31mred\x1b[m!', '', '']],
    ['a colour that goes on', '\x1b[1;32mok\r\nok', ['\x1b[1;32mok\x1b[m', '\x1b[1;32mok\x1b[m', '']],
    ['blanks at the end', 'a   \r\nb', ['a', 'b', '']],
    ['coloured blanks at the end', 'a\x1b[44m  \x1b[m', ['a\x1b[44m  \x1b[m', '', '']],
    ['reversed blanks at the end', '\x1b[7m  \x1b[m', ['\x1b[7m  \x1b[m', '', '']],
    ['a gap', 'a\x1b[5Gb', ['a   b', '', '']],
    ['wide and combined characters', '中e\u0301🎉', ['中e\u0301🎉', '', '']],
    ['a wide character at the edge', `${'a'.repeat(18)}中`, [`${'a'.repeat(18)}中`, '', '']],
    ['underlines and their colour', '\x1b[4:3;58;5;9mx\x1b[m', ['\x1b[4:3;58:5:9mx\x1b[m', '', '']],
    ['a link is no attribute of the looks', '\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\', ['link', '', '']],
    ['wrapped text stays in its rows', 'a'.repeat(25), ['a'.repeat(20), 'aaaaa', '']],
    ['the alternate screen', 'normal\x1b[?1049h\x1b[Halt', ['alt', '', '']],
  ])('%s', (_name, bytes, rows) => {
    expect(rowsOf(bytes)).toEqual(rows);
  });

  test('with the scrollback, its rows come first', () => {
    const screen = screenOf('1\r\n2\r\n3\r\n4\r\n5');
    expect(styledRowsOf(screen)).toEqual(['3', '4', '5']);
    expect(styledRowsOf(screen, true)).toEqual(['1', '2', '3', '4', '5']);
  });

  describe.each(RECORDED_NAMES)('%s', (name) => {
    test.each(RECORDED_SIZES)('drawn from its rows looks the same at $cols x $rows', ({ cols, rows }) => {
      const output = readFileSync(FOLDER + recordingName(name, { cols, rows }));
      for (const part of [0.3, 0.6, 0.8]) {
        const original = screenOf(output.subarray(0, Math.floor(output.length * part)), cols, rows);
        const looks = styledRowsOf(original);
        const drawn = looks.map((row, index) => `\x1b[${index + 1}H${row}`).join('');
        expect(styledRowsOf(screenOf(drawn, cols, rows))).toEqual(looks);
        // Their text matches the line reader's.
        const text = looks
          .map((row) => row.replace(/\x1b\[[\d:;]*m/g, '').trimEnd())
          .filter((row) => row !== '');
        expect(linesOf(screenOf(drawn, cols, rows)).join('')).toBe(text.join(''));
      }
    });
  });
});
