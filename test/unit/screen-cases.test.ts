import { expect, test } from 'vitest';
import { createTerminal, writeSync } from '../../src/workers/shard/screen/xterm/terminal.js';
import { AFTERWARDS, SCREEN_CASES } from '../support/screen-cases.js';
import { assertSameState } from '../support/screen-compare.js';
import { assertRoundTrip, Bare } from '../support/screen-pair.js';

const SIZE = { cols: 20, rows: 6 };

test.each(SCREEN_CASES)('is restored with scrollback: %s', (_name, output) => {
  const original = new Bare(SIZE, 100);
  original.do(output);
  expect(assertRoundTrip(original, [...AFTERWARDS])).toEqual([]);
});

test.each(SCREEN_CASES)('is restored without scrollback: %s', (_name, output) => {
  const original = new Bare(SIZE, 100);
  original.do(output);
  expect(assertRoundTrip(original, [], false)).toEqual([]);
});

test.each(SCREEN_CASES)('is restored twice: %s', (_name, output) => {
  const original = new Bare(SIZE, 100);
  original.do(output);
  const { copy } = original.copy(true);
  expect(assertRoundTrip(copy, [...AFTERWARDS])).toEqual([]);
});

test.each(SCREEN_CASES)("is restored in an xterm set up like a browser's: %s", (_name, output) => {
  const original = new Bare(SIZE, 100);
  original.do(output);
  const plain = createTerminal(SIZE.cols, SIZE.rows, 100);
  writeSync(plain, original.copy(true).text);
  assertSameState(plain, original.term, { scrollback: true, isLater: false });
});

const TINY = [1, 2, 3].flatMap((cols) => [1, 2, 5].map((rows) => ({ cols, rows })));

test.each(TINY)('is restored at $cols x $rows', (size) => {
  for (const [name, output] of SCREEN_CASES) {
    const original = new Bare(size, 7);
    original.do(output);
    try {
      assertRoundTrip(original, ['\u0301', 'ab', '\x1b8中', { cols: 2, rows: 2 }, 'x', { cols: 9, rows: 4 }]);
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}`);
    }
  }
});

test('state without an escape sequence is reported', () => {
  const original = new Bare(SIZE, 0);
  // xterm forgets a link with the row on which it was opened, here before its first character is printed.
  original.do(`\x1b]8;;http://a\x07${'\r\n'.repeat(8)}x`);
  expect(original.copy(true).losses).toEqual(['a link that xterm itself has forgotten']);
});
