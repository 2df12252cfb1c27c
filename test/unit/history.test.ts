import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { History, type Segment } from '../../src/workers/shard/history.js';

function text(segments: Segment[]): string {
  return segments
    .map((segment) => ('bytes' in segment ? Buffer.from(segment.bytes).toString('latin1') : ''))
    .join('');
}

const SIZE = { cols: 80, rows: 24 };
const SIXEL = '#0;2;0;0;0#0!20~-\n#1~~@@vv@@~~-\n';

describe('History', () => {
  it('gives back any stretch it still has, and says when it has not', () => {
    const writes = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 400 }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(writes, fc.nat(), fc.nat(), (chunks, first, second) => {
        const history = new History(2_000, 0, SIZE);
        for (const chunk of chunks) history.append(Buffer.from(chunk));
        const all = chunks.join('');
        const [begin, end] = [first % (all.length + 1), second % (all.length + 1)].sort((a, b) => a - b) as [
          number,
          number,
        ];
        const { gap, segments } = history.between(begin, end);
        if (!gap) expect(text(segments)).toBe(all.slice(begin, end));
        else expect(all.slice(begin, end).endsWith(text(segments))).toBe(true);
      }),
    );
  });

  it('keeps its bound and begins with a whole line', () => {
    const history = new History(1_000, 0, SIZE);
    for (let line = 0; line < 5_000; line++) history.append(Buffer.from(`line ${line}\n`));
    const { gap, segments } = history.between(0, Number.MAX_SAFE_INTEGER);
    const kept = text(segments);
    expect(gap).toBe(true);
    expect(kept.length).toBeGreaterThan(900);
    expect(kept.length).toBeLessThanOrEqual(1_250);
    expect(kept).toMatch(/^line \d+\n/);
    expect(kept.endsWith('line 4999\n')).toBe(true);
  });

  it('begins within no sequence and no character, however long the line is', () => {
    const units = [
      'x',
      'é',
      '日',
      '\n',
      '\x1b[38;5;123m',
      '\x1b[m',
      '\x1b(B',
      '\x1b]0;a\nb\x07',
      `\x1bPq${SIXEL}\x1b\\`,
    ];
    const output = fc.array(fc.constantFrom(...units), { minLength: 300, maxLength: 700 });
    fc.assert(
      fc.property(output, fc.integer({ min: 1, max: 90 }), (parts, size) => {
        const all = Buffer.from(parts.join(''));
        const history = new History(500, 0, SIZE);
        for (let at = 0; at < all.length; at += size) history.append(all.subarray(at, at + size));
        const { gap, segments } = history.between(0, all.length);
        const kept = text(segments);
        expect([gap, all.toString('latin1').endsWith(kept)]).toEqual([all.length > 625, true]);
        expect(kept.length).toBeLessThanOrEqual(625);
        const begins = new Set([0]);
        let end = 0;
        for (const part of parts) {
          end += Buffer.byteLength(part);
          begins.add(end);
        }
        expect(begins).toContain(all.length - kept.length);
      }),
    );
  });

  it('begins at a line even where line feeds stand in an image before it', () => {
    const history = new History(1_000, 0, SIZE);
    history.append(Buffer.from(`a\n\x1bPq${SIXEL.repeat(20)}\x1b\\b\nc\n${'.'.repeat(900)}`));
    expect(text(history.between(0, 10_000).segments)).toMatch(/^c\n\.+$/);
  });

  it('keeps nothing of a sequence that is longer than all that it may keep', () => {
    const history = new History(1_000, 0, SIZE);
    history.append(Buffer.from('before\n\x1bPq'));
    for (let line = 0; line < 200; line++) history.append(Buffer.from(SIXEL));
    history.resized(40, 10);
    const end = 10 + 200 * SIXEL.length;
    expect(history.between(0, end)).toMatchObject({ gap: true, segments: [{ cols: 40, rows: 10 }] });
    history.append(Buffer.from('\x1b'));
    history.append(Buffer.from('\\after\n'));
    const { gap, segments } = history.between(0, end + 10);
    expect([gap, text(segments)]).toEqual([true, 'after\n']);
    expect(history.between(end + 2, end + 10)).toMatchObject({ gap: false, size: { cols: 40, rows: 10 } });
    history.append(Buffer.from('more\n'.repeat(2_000)));
    expect(text(history.between(0, 1e6).segments)).toMatch(/^(more\n)+$/);
  });

  it('knows the size of the screen at any position', () => {
    const history = new History(10_000, 0, SIZE);
    history.append(Buffer.from('one'));
    history.resized(40, 10);
    history.append(Buffer.from('two'));
    expect(history.between(0, 6)).toMatchObject({ size: SIZE, segments: [{}, { cols: 40, rows: 10 }, {}] });
    expect(history.between(3, 6)).toMatchObject({ size: { cols: 40, rows: 10 } });
    expect(history.between(3, 6).segments).toHaveLength(1);
  });

  it('does not change what a reader was given', () => {
    const history = new History(10_000, 0, SIZE);
    history.append(Buffer.from('abc'));
    const { segments } = history.between(0, 3);
    history.append(Buffer.from('def'));
    expect(text(segments)).toBe('abc');
    expect(text(history.between(2, 5).segments)).toBe('cde');
  });
});

/** Bytes and resizes one after the other, however they are cut. */
function flat(segments: readonly Segment[]): string {
  return segments
    .map((segment) =>
      'bytes' in segment
        ? Buffer.from(segment.bytes).toString('latin1')
        : `<${segment.cols} ${segment.rows}>`,
    )
    .join('');
}

type Step =
  | { kind: 'append'; text: string; times: number }
  | { kind: 'resized'; cols: number }
  | { kind: 'pack' }
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
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('between' as const),
      begin: fc.nat(20_000),
      length: fc.nat(20_000),
    }),
  },
);

describe('a packed History', () => {
  it('gives what one gives that was never packed', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40 }),
        fc.constantFrom(500, 3_000, 50_000),
        (steps, capacity) => {
          const packed = new History(capacity, 7, SIZE);
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
            else compare(Math.max(0, end - each.begin), Math.max(0, end - each.begin) + each.length);
          }
          compare(0, end);
          compare(Math.max(0, end - 300), Number.POSITIVE_INFINITY);
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
    // Neither a block for the prompt, nor all of it packed anew.
    expect(history.residentBytes).toBe(packed + 2);
    expect(text(history.between(0, 1e6).segments)).toBe(`${all}$ `);
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

  it('keeps a resize that came in what was too long to be kept', () => {
    const history = new History(3_000, 0, SIZE);
    history.append(Buffer.from('\x1bPq'));
    history.append(Buffer.from(SIXEL.repeat(200)));
    history.resized(40, 10);
    history.append(Buffer.from(`${SIXEL.repeat(10)}\x1b\\`));
    history.append(Buffer.from('after\n'.repeat(300)));
    const before = flat(history.between(0, 1e6).segments);
    expect(before).toBe(`<40 10>${'after\n'.repeat(300)}`);
    history.pack();
    expect(flat(history.between(0, 1e6).segments)).toBe(before);
  });
});
