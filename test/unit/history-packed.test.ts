import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { History } from '../../src/workers/shard/history.js';
import { CountedSpill } from '../support/counted-spill.js';
import { flat, SIXEL, SIZE, text } from '../support/segments.js';

function thrown(error: Error): never {
  throw error;
}

type Step =
  | { kind: 'append'; text: string; times: number }
  | { kind: 'resized'; cols: number }
  | { kind: 'pack' }
  | { kind: 'packGathered' }
  | { kind: 'between'; begin: number; length: number };

const piece = fc.constantFrom('a line\r\n', 'x', '\n', '\x1b[31m', '日', '\x1bPq', '\x1b\\', 'more and more');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      text: fc.array(piece, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('')),
      times: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 40 }), fc.constant(900)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('resized' as const),
      cols: fc.integer({ min: 1, max: 99 }),
    }),
  },
  { weight: 4, arbitrary: fc.constant({ kind: 'pack' as const }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'packGathered' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('between' as const),
      begin: fc.nat(150_000),
      length: fc.oneof(fc.nat(500), fc.nat(150_000)),
    }),
  },
);

describe('a packed History', () => {
  it('gives the same as one that was never packed', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40 }),
        fc.constantFrom(500, 3_000, 50_000, 120_000),
        (steps, capacity) => {
          const spill = new CountedSpill();
          const packed = new History(capacity, 7, SIZE, { spill, fault: thrown });
          const plain = new History(capacity, 7, SIZE);
          let end = 7;
          const compare = (begin: number, to: number) => {
            const [given, wanted] = [packed.between(begin, to), plain.between(begin, to)];
            expect({ ...given, segments: flat(given.segments) }).toEqual({
              ...wanted,
              segments: flat(wanted.segments),
            });
          };
          for (const each of steps) {
            if (each.kind === 'append') {
              const bytes = Buffer.from(each.text.repeat(each.times));
              for (const history of [packed, plain]) history.append(bytes);
              end += bytes.length;
            } else if (each.kind === 'resized') {
              for (const history of [packed, plain]) history.resized(each.cols, 24);
            } else if (each.kind === 'pack') packed.pack();
            else if (each.kind === 'packGathered') packed.packGathered();
            else compare(Math.max(0, end - each.begin), Math.max(0, end - each.begin) + each.length);
            // A piece is freed when it is dropped, or packed anew with the output that follows it.
            expect(spill.held.size).toBeLessThanOrEqual(2 + (capacity * 1.25) / (32 * 1024));
          }
          compare(0, end);
          compare(Math.max(0, end - 300), Number.POSITIVE_INFINITY);
          packed.close();
          expect(spill.held.size).toBe(0);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('holds little memory, also while it is read, until more is printed', () => {
    const history = new History(256 * 1024, 0, SIZE);
    for (let line = 0; line < 1_000; line++)
      history.append(Buffer.from(`\x1b[32mok\x1b[m line ${line * 7919}\r\n`));
    const all = text(history.between(0, 1e6).segments);
    expect(history.residentBytes).toBeGreaterThan(all.length);
    history.pack();
    const packed = history.residentBytes;
    expect(packed).toBeLessThan(all.length / 4);
    expect(text(history.between(0, 1e6).segments)).toBe(all);
    expect(history.residentBytes).toBe(packed);
    history.append(Buffer.from('$ '));
    expect(text(history.between(all.length, 1e6).segments)).toBe('$ ');
    history.pack();
    // The prompt neither gets a block of its own nor causes everything to be packed anew.
    expect(history.residentBytes).toBe(packed + 2);
    expect(text(history.between(0, 1e6).segments)).toBe(`${all}$ `);
  });

  it('packs what gathers at work in pieces, and reads the piece that it is asked for', () => {
    const spill = new CountedSpill();
    const history = new History(256 * 1024, 0, SIZE, { spill, fault: thrown });
    let all = '';
    for (let line = 0; line < 6_000; line++) {
      const text = `\x1b[32mok\x1b[m line ${line * 7919}\r\n`;
      history.append(Buffer.from(text));
      all += text;
      history.packGathered();
      expect(history.residentBytes).toBeLessThan(40 * 1024);
    }
    const pieces = Math.floor(all.length / (32 * 1024));
    expect([spill.puts, spill.held.size]).toEqual([pieces, pieces]);
    expect(text(history.between(all.length - 5, all.length).segments)).toBe(all.slice(-5));
    expect(text(history.between(0, 1e6).segments)).toBe(all);
    expect(history.residentBytes).toBeLessThan(40 * 1024);
    const read: unknown[] = [];
    for (const kept of spill.held) {
      const original = kept.read.bind(kept);
      kept.read = () => {
        read.push(kept);
        return original();
      };
    }
    expect(text(history.between(100_000, 100_010).segments)).toBe(all.slice(100_000, 100_010));
    expect(read).toEqual([[...spill.held][3]]);
    history.pack();
    // A quiet terminal has few pieces.
    expect(spill.held.size).toBe(1);
    expect(text(history.between(0, 1e6).segments)).toBe(all);
    history.close();
    expect(spill.held.size).toBe(0);
  });

  it('holds next to nothing in memory if its pack is on disk, and keeps its place there until it is closed', () => {
    const spill = new CountedSpill();
    const history = new History(256 * 1024, 0, SIZE, { spill, fault: thrown });
    const all = 'a line of output\r\n'.repeat(5_000);
    history.append(Buffer.from(all));
    history.resized(40, 10);
    history.pack();
    expect([history.residentBytes, spill.held.size]).toEqual([0, 1]);
    expect(text(history.between(0, 1e6).segments)).toBe(all);
    history.append(Buffer.from('$ '));
    history.pack();
    // A prompt alone does not cause everything to be written again.
    expect([history.residentBytes, spill.puts]).toEqual([2, 1]);
    expect(text(history.between(all.length, 1e6).segments)).toBe('$ ');
    expect([...spill.held]).toHaveLength(1);
    expect(flat(history.between(0, 1e6).segments)).toBe(`${all}<40 10>$ `);
    expect([history.residentBytes, spill.held.size]).toEqual([2, 1]);
    history.close();
    expect([history.residentBytes, spill.held.size]).toEqual([0, 0]);
    expect(history.between(0, 1e6).segments).toEqual([]);
  });

  it('begins anew after a part that the disk does not return, and reports it once', () => {
    const spill = new CountedSpill();
    const faults: string[] = [];
    const history = new History(3_000, 0, SIZE, { spill, fault: ({ message }) => void faults.push(message) });
    history.append(Buffer.from('lost\r\n'.repeat(500)));
    history.resized(40, 10);
    history.pack();
    history.append(Buffer.from('kept\r\n'));
    spill.isBroken = true;
    const lost = { gap: true, size: { cols: 40, rows: 10 } };
    expect(history.between(2_500, 1e6)).toMatchObject(lost);
    expect(faults).toEqual(['older output could not be read back: EIO: i/o error, read']);
    expect(flat(history.between(0, 1e6).segments)).toBe('kept\r\n');
    expect(history.between(3_000, 1e6)).toMatchObject({ ...lost, gap: false });
    history.append(Buffer.from('more\r\n'.repeat(100)));
    history.pack();
    expect(spill.held.size).toBe(0);
    expect(flat(history.between(0, 1e6).segments)).toBe(`kept\r\n${'more\r\n'.repeat(100)}`);
    expect(faults).toHaveLength(1);
  });

  it('is trimmed to the remainder if the disk does not return the rest', () => {
    const spill = new CountedSpill();
    const faults: Error[] = [];
    const history = new History(3_000, 0, SIZE, { spill, fault: (error) => void faults.push(error) });
    history.append(Buffer.from('lost\r\n'.repeat(500)));
    history.pack();
    spill.isBroken = true;
    history.append(Buffer.from('kept\r\n'.repeat(200)));
    expect(faults).toHaveLength(1);
    expect(history.between(0, 1e6).gap).toBe(true);
    expect(flat(history.between(0, 1e6).segments)).toBe('kept\r\n'.repeat(200));
  });

  it('holds no block for a few bytes', () => {
    const history = new History(256 * 1024, 0, SIZE);
    history.append(Buffer.from('$ echo one'));
    history.pack();
    expect(history.residentBytes).toBe(10);
    history.append(Buffer.from('\r\none'));
    history.pack();
    expect(history.residentBytes).toBe(15);
    expect(text(history.between(0, 100).segments)).toBe('$ echo one\r\none');
  });

  it('keeps a resize that came within output too long to be kept', () => {
    const history = new History(3_000, 0, SIZE);
    history.append(Buffer.from('\x1bPq'));
    history.append(Buffer.from(SIXEL.repeat(200)));
    history.resized(40, 10);
    history.append(Buffer.from(`${SIXEL.repeat(10)}\x1b\\`));
    history.append(Buffer.from('after\n'.repeat(300)));
    const before = history.between(0, 1e6);
    expect(flat(before.segments)).toBe('after\n'.repeat(300));
    expect(before.size).toEqual({ cols: 40, rows: 10 });
    history.pack();
    const packed = history.between(0, 1e6);
    expect({ ...packed, segments: flat(packed.segments) }).toEqual({
      ...before,
      segments: flat(before.segments),
    });
  });
});
