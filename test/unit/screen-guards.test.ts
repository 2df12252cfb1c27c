import { describe, expect, test } from 'vitest';
import { Screen } from '../../src/workers/shard/screen/screen.js';
import { MAX_CELL_MARKS } from '../../src/workers/shard/screen/serialize/cell-bound.js';
import { guard } from '../../src/workers/shard/screen/xterm/guards.js';
import { internals } from '../../src/workers/shard/screen/xterm/internals.js';
import { createTerminal, writeSync } from '../../src/workers/shard/screen/xterm/terminal.js';
import { assertSameState } from '../support/screen-compare.js';
import { Bare } from '../support/screen-pair.js';
import { linesOf } from '../support/screen-rows.js';

const FINALS = [
  'S',
  'T',
  'L',
  'M',
  'I',
  'Z',
  'b',
  '@',
  'P',
  'X',
  ...'ABCDEFGHJKade`'.split(''),
  ' @',
  ' A',
  "'}",
  "'~",
];

/** Far more time than a busy machine needs for any of these sequences, and far less than they take without a guard. */
const MOMENT_MS = 2_000;

describe.each([1_000_000, 2_147_483_647])('a count of %d', (count) => {
  const screen = new Screen({ cols: 1000, rows: 1000, scrollback: 1000 });

  test.each(FINALS)('for %s takes a moment', (final) => {
    screen.feed(Buffer.from('\x1b[500;500Hx'));
    const start = performance.now();
    screen.feed(Buffer.from(`\x1b[${count}${final}`));
    expect(performance.now() - start).toBeLessThan(MOMENT_MS);
  });
});

describe.each(['\x1b[2;4r\x1b[3H', '\x1b[?7l', '\x1b[4h', '中', '\x1b[?1049h', ''])('after %j', (before) => {
  test.each(['S', 'T', 'L', 'M', 'I', 'Z', 'b'])('%s shows the same as unguarded', (final) => {
    for (const count of [19, 20, 21, 500, 501, 3000, 3001, 3013]) {
      const [guarded, bare] = [createTerminal(20, 6, 10), createTerminal(20, 6, 10)];
      guard(internals(guarded));
      const output = `1\r\n2\r\n3\r\n4\r\n5\x1b[44m${before}ab中\x1b[${count}${final}z`;
      writeSync(guarded, output);
      writeSync(bare, output);
      // REP stops once its character fills the screen, so the scrollback gets less.
      assertSameState(guarded, bare, { scrollback: final !== 'b', isLater: false });
    }
  });
});

test('a character with thousands of combining ones, repeated, fills the screen and not the memory', () => {
  const screen = new Screen({ cols: 100, rows: 10, scrollback: 100_000 });
  screen.feed(Buffer.from(`e${'\u0301'.repeat(5000)}\x1b[2147483647b`));
  const [line] = linesOf(screen);
  expect(line!.length).toBeGreaterThan(100 * 10 * MAX_CELL_MARKS);
  expect(line!.length).toBeLessThan(100 * 20 * MAX_CELL_MARKS);
});

test.each(['\x1b[1J', '\x1b[?1J'])('%j at the end of the last row does not stop the parser', (sequence) => {
  const screen = new Screen({ cols: 20, rows: 5, scrollback: 100 });
  screen.feed(Buffer.from(`text\x1b[5;20H${sequence}after`));
  expect(linesOf(screen)).toEqual([`${' '.repeat(19)}after`]);
});

test('ESC # 8 in origin mode fills the rows that CSI 1 J has looked at', () => {
  const screen = new Screen({ cols: 20, rows: 5, scrollback: 100 });
  screen.feed(Buffer.from('\x1b[5;20H\x1b[1J\x1b[?6h\x1b[2;5r\x1b#8after'));
  expect(linesOf(screen).join('\n')).toContain('after');
});

test.each([
  { rows: 'a full scrollback', resized: 20 },
  { rows: 'a scrollback that was rewrapped', resized: 4 },
])('ESC # 8 in origin mode fills the screen from its top margin on, and no row of $rows', ({ resized }) => {
  const screen = new Bare({ cols: 20, rows: 6 }, 130);
  screen.do({ cols: resized, rows: 6 });
  screen.do(Array.from({ length: 200 }, (_, line) => `line ${line} of text\r\n`).join(''));
  screen.do({ cols: 20, rows: 6 });
  const { normal } = internals(screen.term).buffers;
  const cells = (row: number) => Buffer.from(normal.lines.get(row)!._data).toString('hex');
  const before = Array.from({ length: normal.ybase }, (_, row) => cells(row));
  screen.do('\x1b[2;4r\x1b[?6h\x1b#8');
  expect(before.map((_, row) => cells(row))).toEqual(before);
  const filled = Array.from({ length: 6 }, (_, row) =>
    screen.term.buffer.normal.getLine(normal.ybase + row)!.translateToString(),
  );
  expect(filled.slice(1)).toEqual(new Array(5).fill('E'.repeat(20)));
  expect(filled[0]).not.toContain('E');
  screen.dispose();
});

test('ESC # 8 in origin mode fills an alternate screen as xterm does', () => {
  const screen = new Screen({ cols: 20, rows: 3, scrollback: 100 });
  screen.feed(Buffer.from('\x1b[?1049h\x1b[2;3r\x1b[?6h\x1b#8'));
  expect(linesOf(screen)).toEqual(new Array(3).fill('E'.repeat(20)));
});

test('a link that stays open does not slow text down', () => {
  const screen = new Screen({ cols: 80, rows: 24, scrollback: 1000 });
  screen.feed(Buffer.from('\x1b]8;;http://example.com\x07'));
  const text = Buffer.from(`${'x'.repeat(79)}\r\n`.repeat(2500));
  const start = performance.now();
  screen.feed(text);
  expect(performance.now() - start).toBeLessThan(MOMENT_MS);
});
