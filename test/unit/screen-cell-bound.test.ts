import { describe, expect, test } from 'vitest';
import { boundCells, MAX_CELL_MARKS } from '../../src/workers/shard/screen/serialize/cell-bound.js';
import { internals } from '../../src/workers/shard/screen/xterm/internals.js';
import { createTerminal, writeSync } from '../../src/workers/shard/screen/xterm/terminal.js';
import { Random } from '../support/random.js';
import { assertSameState } from '../support/screen-compare.js';

const MARK = '\u0301';

function terminals() {
  const [bounded, bare] = [createTerminal(20, 6, 10), createTerminal(20, 6, 10)];
  boundCells(internals(bounded));
  return { bounded, bare };
}

/** Returns the length of the longest text of a cell, in code points. */
function longest(term: ReturnType<typeof createTerminal>): number {
  const { lines } = internals(term).buffers.active;
  const rows = Array.from({ length: lines.length }, (_, row) => Object.values(lines.get(row)!._combined));
  return Math.max(0, ...rows.flat().map((text) => [...text].length));
}

describe('combining characters', () => {
  test.each([
    ['in one write', (count: number) => [`e${MARK.repeat(count)}x`]],
    ['each in a write of its own', (count: number) => ['e', ...MARK.repeat(count), 'x']],
    ['after a wide character', (count: number) => [`中${MARK.repeat(count)}x`]],
    ['at the right edge', (count: number) => [`\x1b[20Ge`, MARK.repeat(count), 'x']],
    ['after other text', (count: number) => [`abcdefghijk${MARK.repeat(count)}x`]],
    ['of four bytes', (count: number) => [`e${'\u{e0101}'.repeat(count)}x`]],
  ])('%s are kept up to the bound, and dropped beyond', (_, output) => {
    for (const count of [1, MAX_CELL_MARKS, MAX_CELL_MARKS + 1, 500]) {
      const { bounded, bare } = terminals();
      for (const piece of output(count)) writeSync(bounded, piece);
      for (const piece of output(Math.min(count, MAX_CELL_MARKS))) writeSync(bare, piece);
      assertSameState(bounded, bare, { scrollback: true, isLater: false });
    }
  });

  test('without a base character keep their cells', () => {
    const { bounded, bare } = terminals();
    for (const term of [bounded, bare]) writeSync(term, `\r${MARK.repeat(100)}e${MARK.repeat(5)}`);
    assertSameState(bounded, bare, { scrollback: true, isLater: false });
  });

  test('added one by one to the cell before the edge, with wraparound off, are bounded, too', () => {
    const { bounded } = terminals();
    writeSync(bounded, `\x1b[?7l${'x'.repeat(20)}`);
    for (let time = 0; time < 50; time++) writeSync(bounded, `${`中${MARK}`.repeat(50)}`);
    writeSync(bounded, '\x1b[1000000b');
    expect(longest(bounded)).toBe(1 + MAX_CELL_MARKS);
  });

  test('in ordinary numbers are the same as without a bound', () => {
    const parts = [
      'a',
      '中',
      MARK,
      '\u200d',
      '\ufe0f',
      '😀',
      'e\u0301\u0302',
      '\r\n',
      '\x1b[3G',
      '\x1b[?7l',
      '\x1b[?7h',
      '\x1b[5b',
      '\x1b[4h',
      '\x1b[4l',
      '\b',
    ];
    for (let seed = 1; seed <= 300; seed++) {
      const random = new Random(seed);
      const { bounded, bare } = terminals();
      const output = Array.from({ length: 60 }, () => random.of(parts)).join('');
      if (longest(bare) > MAX_CELL_MARKS) continue;
      for (const term of [bounded, bare]) writeSync(term, output);
      assertSameState(bounded, bare, { scrollback: true, isLater: false });
    }
  });
});
