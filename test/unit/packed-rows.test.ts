import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serializeScreen } from '../../src/workers/shard/screen/serialize/serialize.js';
import { logicalLines } from '../../src/workers/shard/screen/text/lines.js';
import { internals } from '../../src/workers/shard/screen/xterm/internals.js';
import { ScreenMemory } from '../../src/workers/shard/screen/xterm/screen-memory.js';
import { assertSameState } from '../support/screen-compare.js';
import { Bare, type Step } from '../support/screen-pair.js';
import { steps } from '../support/screen-streams.js';
import { tries } from '../support/tries.js';

const RUNS = tries(300);

/** Calls of `pack` after which rows that were read are packed again. */
const UNREAD = 6;

/** Bytes that are counted for an xterm without rows. */
const EMPTY_BYTES = 150 * 1024;

const WHOLE = { scrollback: true, isLater: false };

/** A bare terminal and another whose scrollback is packed; `packs` counts the packs after which rows were packed. */
class Pair {
  readonly plain: Bare;
  readonly packed: Bare;
  readonly memory: ScreenMemory;
  packs = 0;

  constructor(size: { cols: number; rows: number }, scrollback: number) {
    this.plain = new Bare(size, scrollback);
    this.packed = new Bare(size, scrollback);
    this.memory = new ScreenMemory(internals(this.packed.term), { release: () => undefined });
  }

  do(step: Step): void {
    this.plain.do(step);
    if (typeof step !== 'string' && !(step instanceof Uint8Array)) this.memory.unpack();
    this.packed.do(step);
  }

  pack(times: number): void {
    for (let left = times; left > 0; left--) {
      this.memory.age();
      while (this.memory.pack());
    }
    const rows = internals(this.packed.term).buffers.normal.lines._array;
    if (rows.slice(0, this.packed.term.buffer.normal.length).includes(undefined)) this.packs++;
  }

  /** Compares a row as a reader gets it. */
  read(row: number): void {
    const [plain, packed] = [this.plain, this.packed].map(({ term }) => internals(term).buffers.normal);
    const index = row % plain!.lines.length;
    const [wanted, is] = [plain!.lines.get(index)!, packed!.lines.get(index)!];
    expect([is.length, is.isWrapped, is._combined]).toEqual([
      wanted.length,
      wanted.isWrapped,
      wanted._combined,
    ]);
    expect(is._data).toEqual(wanted._data);
    expect(Object.keys(is._extendedAttrs)).toEqual(Object.keys(wanted._extendedAttrs));
    expect(is.constructor.name).toBe(wanted.constructor.name);
  }

  compare(): void {
    this.#countMemory();
    assertSameState(this.packed.term, this.plain.term, WHOLE);
    const [wanted, is] = [this.plain, this.packed].map(({ term }) => internals(term));
    expect(serializeScreen(is!, true)).toEqual(serializeScreen(wanted!, true));
    expect(logicalLines(is!.buffers.normal)).toEqual(logicalLines(wanted!.buffers.normal));
  }

  /** Checks that the counted memory is between that of the unpacked rows and that of all rows. */
  #countMemory(): void {
    const { cols, buffers } = internals(this.packed.term);
    const { _array: ring, length } = buffers.normal.lines;
    const unpacked = Array.from({ length }, (_, row) => buffers.normal.lines._getCyclicIndex(row));
    const rows = unpacked.filter((place) => ring[place]).length;
    const [least, most] = [rows, length].map((count) => 12 * cols * (count + buffers.alt.lines.length));
    expect(this.memory.bytes - EMPTY_BYTES).toBeGreaterThanOrEqual(least!);
    // Rows of few cells may take more memory when they are packed.
    expect(this.memory.bytes - EMPTY_BYTES).toBeLessThanOrEqual(most! + 100 * (length / 16));
  }

  dispose(): void {
    this.plain.dispose();
    this.packed.dispose();
  }
}

/** Sequences that change or drop rows of the scrollback. */
const INTO_SCROLLBACK = ['\x1b[3J', '\x1b[2;4r\x1b[?6h\x1b#8\x1b[?6l', '\x1b[1;4r', '\x1bc', '\x1b[2J'];

type Act =
  | { kind: 'print'; steps: Step[] }
  | { kind: 'scroll'; lines: number }
  | { kind: 'resize'; cols: number; rows: number }
  | { kind: 'pack'; times: number }
  | { kind: 'read'; row: number }
  | { kind: 'compare' };

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('print' as const), steps: steps(12) }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('scroll' as const), lines: fc.integer({ min: 1, max: 90 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('resize' as const),
      cols: fc.integer({ min: 2, max: 30 }),
      rows: fc.integer({ min: 1, max: 8 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('pack' as const), times: fc.constantFrom(1, UNREAD, UNREAD) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('read' as const), row: fc.nat(200) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('print' as const),
      steps: fc.tuple(fc.constantFrom(...INTO_SCROLLBACK)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('compare' as const) }) },
);

/** Lines with colours, links, wide and combined characters, some of them longer than the screen is wide. */
function scrolled(lines: number): string {
  let text = '\x1b[r\x1b[?7h\x1b[999;1H';
  for (let line = 0; line < lines; line++) {
    text += `\x1b[${line % 2};3${line % 8};4:${line % 6}m${line}\x1b[48;5;${line}m e\u0301 中 `;
    text += `${'x'.repeat(line % 23)}\x1b[m${line % 7 === 0 ? '\x1b]8;;http://u\x07link\x1b]8;;\x07' : ''}\r\n`;
  }
  return text;
}

describe('a screen with a packed scrollback', () => {
  it('keeps what xterm changes in a row that is packed', () => {
    const pair = new Pair({ cols: 20, rows: 5 }, 70);
    pair.do(`${'x'.repeat(40)}\r\n`.repeat(30));
    pair.pack(UNREAD);
    // Each step erases to the end of a row of the screen; xterm marks the rows with these numbers in its list as not
    // wrapped.
    for (const row of [1, 2, 3, 4]) pair.do(`\x1b[${row};20H\x1b[1J`);
    pair.pack(UNREAD);
    expect(pair.packs).toBe(2);
    pair.compare();
    pair.dispose();
  });

  it('packs in slices, each of some 32 Ki cells', () => {
    const pair = new Pair({ cols: 100, rows: 30 }, 10_000);
    pair.packed.do(scrolled(10_100));
    const { memory } = pair;
    for (let times = UNREAD; times > 0; times--) memory.age();
    const cellBytes = 12;
    let slices = 0;
    for (let before = memory.bytes, more = true; more; before = memory.bytes, slices++) {
      more = memory.pack();
      expect(before - memory.bytes).toBeLessThan(cellBytes * (32 * 1024 + 16 * 100));
    }
    expect(slices).toBeGreaterThan(20);
    expect(memory.bytes).toBeLessThan(cellBytes * 100 * 10_000 * 0.2);
    pair.dispose();
  });

  it('is the same in every cell as one that packs nothing', () => {
    let packs = 0;
    fc.assert(
      fc.property(
        fc.array(act, { minLength: 4, maxLength: 30 }),
        fc.constantFrom(20, 70, 130),
        (acts, scrollback) => {
          const pair = new Pair({ cols: 20, rows: 5 }, scrollback);
          for (const each of acts) {
            if (each.kind === 'print') for (const step of each.steps) pair.do(step);
            else if (each.kind === 'scroll') pair.do(scrolled(each.lines));
            else if (each.kind === 'resize') pair.do({ cols: each.cols, rows: each.rows });
            else if (each.kind === 'pack') pair.pack(each.times);
            else if (each.kind === 'read') pair.read(each.row);
            else pair.compare();
          }
          pair.compare();
          pair.dispose();
          packs += pair.packs;
        },
      ),
      { numRuns: RUNS },
    );
    expect(packs).toBeGreaterThan(RUNS / 2);
  });

  it.each([
    { what: 'erasing the scrollback', output: '\x1b[3J' },
    { what: 'a reset', output: '\x1bc' },
    { what: 'output that takes its place', output: '\x1b[5;1H\r\nline'.repeat(80) },
    { what: 'lines above the last row that take its place', output: '\x1b[1;4r\x1b[4;1H\r\nline'.repeat(80) },
  ])('takes what a screen without packed rows takes, after $what', ({ output }) => {
    const pair = new Pair({ cols: 20, rows: 5 }, 70);
    const plain = new ScreenMemory(internals(pair.plain.term), { release: () => undefined });
    pair.do(scrolled(90));
    pair.pack(UNREAD);
    expect(pair.memory.bytes).toBeLessThan(plain.bytes);
    pair.do(output);
    expect(pair.memory.bytes).toBe(plain.bytes);
    pair.pack(UNREAD);
    pair.compare();
    pair.dispose();
  });

  it('takes a tenth of the memory, while it is read now and then too', () => {
    const pair = new Pair({ cols: 100, rows: 30 }, 1_000);
    const line = `\x1b[32m${'built '.repeat(10)}\x1b[m${'ok '.repeat(13)}\r\n`;
    pair.do(line.repeat(1_100));
    const before = pair.memory.bytes;
    pair.pack(UNREAD);
    const rows = 12 * 100 * 1_030;
    expect(before).toBeGreaterThan(rows);
    expect(pair.memory.bytes).toBeLessThan(before - rows * 0.9);
    pair.compare();
    pair.pack(1);
    expect(pair.memory.bytes).toBeLessThan(before - rows * 0.9);
    // Another read soon afterwards finds the rows unpacked.
    pair.compare();
    pair.pack(1);
    expect(pair.memory.bytes).toBe(before);
    pair.pack(UNREAD);
    expect(pair.memory.bytes).toBeLessThan(before - rows * 0.9);
    pair.dispose();
  });
});
