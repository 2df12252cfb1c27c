import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { STEP_WORK_NS } from '../../src/contract/limits.js';
import { internals } from '../../src/workers/shard/screen/xterm/internals.js';
import { resizeTerminal } from '../../src/workers/shard/screen/xterm/resize.js';
import { SteppedParser } from '../../src/workers/shard/screen/xterm/stepped-parser.js';
import { createTerminal } from '../../src/workers/shard/screen/xterm/terminal.js';
import { assertSameState } from '../support/screen-compare.js';
import { Bare, type Size, type Step } from '../support/screen-pair.js';
import { session } from '../support/screen-streams.js';
import { tries } from '../support/tries.js';

const RUNS = tries(150);

/** A terminal that is parsed in steps. */
class Stepped {
  readonly term;
  readonly parser: SteppedParser;
  steps = 0;

  constructor({ cols, rows }: Size, scrollback: number, stepWork = STEP_WORK_NS) {
    this.term = createTerminal(cols, rows, scrollback);
    this.parser = new SteppedParser(internals(this.term), stepWork);
  }

  do(step: Step): void {
    if (typeof step !== 'string' && !(step instanceof Uint8Array)) {
      resizeTerminal(this.term, step.cols, step.rows);
      return;
    }
    this.parser.begin(typeof step === 'string' ? Buffer.from(step) : step);
    do this.steps++;
    while (this.parser.step());
  }
}

describe('a screen that is parsed in steps', () => {
  test.each([1, 3_000, 50_000, STEP_WORK_NS])('of %d ns is the same as one parsed at once', (stepWork) => {
    let steps = 0;
    let writes = 0;
    fc.assert(
      fc.property(session, fc.boolean(), ({ size, scrollback, before, after }, isJoined) => {
        const bare = new Bare(size, scrollback);
        const stepped = new Stepped(size, scrollback, stepWork);
        const all = [...before, ...after];
        const texts = all.filter((step) => typeof step === 'string');
        for (const step of isJoined ? [texts.join('')] : all) {
          bare.do(step);
          stepped.do(step);
          writes++;
          assertSameState(stepped.term, bare.term, { scrollback: true, isLater: false });
        }
        steps += stepped.steps;
        bare.dispose();
        stepped.term.dispose();
      }),
      { numRuns: RUNS },
    );
    if (stepWork === 1) expect(steps).toBeGreaterThan(writes);
  });

  test('inserts and repeats long texts in pieces as at once', () => {
    const texts = ['x', '中', 'e\u0301', '👩', '한'].flatMap((text) => [
      `${text}\x1b[500b`,
      text.repeat(400),
      'ab',
    ]);
    for (const mode of [
      '',
      '\x1b[4h',
      '\x1b[?7l',
      '\x1b[4h\x1b[?7l',
      '\x1b[2;4r\x1b[3H',
      '\x1b[2;4r\x1b[4h\x1b[3H',
    ]) {
      const bare = new Bare({ cols: 21, rows: 6 }, 20);
      const stepped = new Stepped({ cols: 21, rows: 6 }, 20, 5_000);
      for (const text of [mode, ...texts]) {
        bare.do(text);
        stepped.do(text);
        assertSameState(stepped.term, bare.term, { scrollback: true, isLater: false });
      }
    }
  });
});

/** Counts the cells and rows that xterm writes, moves or looks at, by the calls of xterm's own lists. */
class WorkCount {
  cells = 0;
  readonly #restore: Array<() => void> = [];

  constructor(term: Stepped['term']) {
    const { normal } = internals(term).buffers;
    const [list, line, buffer] = [normal.lines, normal.lines.get(0)!, normal].map(Object.getPrototypeOf);
    for (const name of ['fill', 'replaceCells', 'insertCells', 'deleteCells', 'copyFrom', 'clone'])
      this.#count(line, name, ({ length }) => length);
    for (const name of ['setCell', 'setCellFromCodepoint']) this.#count(line, name, () => 1);
    this.#count(list, '_getCyclicIndex', () => 1);
    this.#count(buffer, 'getBlankLine', () => term.cols);
  }

  restore(): void {
    for (const restore of this.#restore) restore();
  }

  #count(prototype: Record<string, unknown>, name: string, cost: (self: { length: number }) => number): void {
    const before = prototype[name] as (...args: unknown[]) => unknown;
    if (!before) throw new Error(`xterm has no ${name}`);
    const count = (self: { length: number }) => {
      this.cells += cost(self);
    };
    prototype[name] = function (this: { length: number }, ...args: unknown[]) {
      count(this);
      return before.apply(this, args);
    };
    this.#restore.push(() => {
      prototype[name] = before;
    });
  }
}

/** Short sequences that cause much work, each with the state in which it does. */
const HOSTILE: Array<[string, before: string, repeated: string]> = [
  ['ED 2', '', '\x1b[2J'],
  ['ED 0', '', '\x1b[H\x1b[J'],
  ['ED 1', '\x1b[999;999H', '\x1b[1J'],
  ['selective ED', '\x1b[1"q', '\x1b[?2J'],
  ['EL', '', '\x1b[K'],
  ['selective EL', '', '\x1b[?K'],
  ['ECH', '', '\x1b[X'],
  ['ICH', '', '\x1b[@'],
  ['DCH', '', '\x1b[P'],
  ['IL', '', '\x1b[L'],
  ['much IL', '', '\x1b[9999L'],
  ['much DL', '', '\x1b[9999M'],
  ['SU', '', '\x1b[S'],
  ['much SU', '', '\x1b[9999S'],
  ['much SD', '', '\x1b[9999T'],
  ['DECIC', '', "\x1b[9'}"],
  ['DECDC', '', "\x1b[9'~"],
  ['SL', '', '\x1b[9 @'],
  ['SR', '', '\x1b[9 A'],
  ['RIS', '', '\x1bc'],
  ['DECALN', '', '\x1b#8'],
  ['RI', '', '\x1b[H\x1bM'],
  ['IND', '\x1b[999H', '\x1bD'],
  ['NEL as C1', '\x1b[2r\x1b[999H', '\x85'],
  ['the alternate screen', '', '\x1b[?1049h\x1b[?1049l'],
  ['the alternate screen by another name', '', '\x1b[?25;47h\x1b[?1047l'],
  ['REP', '', 'x\x1b[99999b'],
  ['LF', '', '\n'],
  ['LF within margins', '\x1b[2;499r\x1b[499H', '\n'],
  ['LF above a margin', '\x1b[1;499r\x1b[499H', '\v\f'],
  ['text within margins', '\x1b[2;499r\x1b[499H', 'x'],
  ['text that is inserted', '\x1b[4h', '\rx'],
  ['much text that is inserted', '\x1b[4h', 'x'],
];

describe.each([
  { cols: 500, rows: 500 },
  { cols: 80, rows: 24 },
  { cols: 2, rows: 500 },
])('of $cols x $rows', (size) => {
  test.each(HOSTILE)('a step of %s does no more than its share, and one sequence', (_, before, repeated) => {
    const stepped = new Stepped(size, 100);
    stepped.do(before);
    const one = new Stepped(size, 100);
    one.do(before);
    const count = new WorkCount(stepped.term);
    try {
      one.do(repeated);
      const ofOne = count.cells;
      // Enough repetitions for twenty steps, but not more bytes than one read of a terminal returns.
      const times = Math.min(
        Math.ceil((20 * STEP_WORK_NS) / (4 * Math.max(ofOne, 1))),
        65_536 / repeated.length,
      );
      count.cells = 0;
      let most = 0;
      stepped.parser.begin(Buffer.from(repeated.repeat(times)));
      let hasMore = true;
      while (hasMore) {
        hasMore = stepped.parser.step();
        most = Math.max(most, count.cells);
        count.cells = 0;
      }
      const { cols, rows } = size;
      // Allows for both screens made anew.
      expect(most).toBeLessThanOrEqual(STEP_WORK_NS / 3 + 3 * cols * rows);
    } finally {
      count.restore();
    }
  });
});
