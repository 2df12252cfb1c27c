import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_MARK_BYTES } from '../../src/contract/limits.js';
import { MarkScanner } from '../../src/workers/shard/stages/mark-scanner.js';
import { cutUp } from '../support/cut-up.js';

/** A piece of output, and the marks in it. */
interface Part {
  text: string;
  /** The content of a mark after its number. */
  payload?: string;
}

const words = fc
  .string({ unit: fc.constantFrom('a', ';', '1', '3', '[', 'é', '日', '\r\n', '\t', '\x18'), maxLength: 20 })
  .map((text): Part => ({ text }));

const mark = fc
  .tuple(
    fc.constantFrom('133', '633'),
    fc.string({ unit: fc.constantFrom('A', ';', '=', ']', 'x', '\\', 'é', '\n', '133;'), maxLength: 12 }),
    fc.constantFrom('\x07', '\x1b\\'),
  )
  .map(([number, payload, end]): Part => ({ text: `\x1b]${number};${payload}${end}`, payload }));

/** Output that looks like a mark up to some byte, but is no mark. */
const noMark = fc
  .constantFrom(
    '\x1b',
    '\x1b]',
    '\x1b]1',
    '\x1b]133',
    '\x1b]133;A',
    '\x1b]633;E;ls',
    '\x1b]133;A\x18',
    '\x1b]133;A\x1a',
    '\x1b]133;A\x1b[m',
    '\x1b]13;A\x07',
    '\x1b]1337;A\x07',
    '\x1b]0;title\x07',
    '\x1b]8;;http://a\x1b\\',
    '\x1bP]133;A\x1b\x1b[31m',
    ']133;A\x07',
    '\x1b[1]133;A\x07',
  )
  .map((text): Part => ({ text }));

const UNFINISHED = /\x1b(\]\d*(;[^\x07\x1b\x18\x1a]*)?)?$/;

/** Parts in which no sequence goes on in the next part. */
const parts = fc.array(fc.oneof(words, mark, noMark), { maxLength: 30 }).map((all) => {
  const kept: Part[] = [];
  for (const part of all) {
    const goesOn = UNFINISHED.test(kept.at(-1)?.text ?? '') && !part.text.startsWith('\x1b');
    if (!goesOn && part.text !== '') kept.push(part);
  }
  return kept;
});

function scan(position: number, pieces: Buffer[]) {
  const scanner = new MarkScanner(position);
  return pieces
    .flatMap((piece) => scanner.scan(piece))
    .map(({ family, begin, end, payload }) => ({ family, begin, end, payload: payload.toString() }));
}

/** Returns the marks of these parts, with their positions. */
function marksIn(position: number, all: readonly Part[]) {
  let at = position;
  return all.flatMap(({ text, payload }) => {
    const begin = at;
    at += Buffer.byteLength(text);
    return payload === undefined ? [] : [{ family: Number(text.slice(2, 5)), begin, end: at, payload }];
  });
}

describe('MarkScanner', () => {
  it('finds all marks, and nothing else, however the output is cut', () => {
    fc.assert(
      fc.property(parts, fc.nat(1e9), fc.array(fc.nat()), (all, position, cuts) => {
        const bytes = Buffer.from(all.map(({ text }) => text).join(''));
        expect(scan(position, cutUp(bytes, cuts))).toEqual(marksIn(position, all));
      }),
      { numRuns: 1_000 },
    );
  });

  it('finds them byte by byte', () => {
    fc.assert(
      fc.property(parts, (all) => {
        const bytes = Buffer.from(all.map(({ text }) => text).join(''));
        const single = Array.from(bytes, (_byte, at) => bytes.subarray(at, at + 1));
        expect(scan(0, single)).toEqual(marksIn(0, all));
      }),
    );
  });

  it('ignores a mark beyond the longest length, and finds the next one', () => {
    const longest = 'x'.repeat(MAX_MARK_BYTES);
    const bytes = Buffer.from(`\x1b]633;${longest}\x07\x1b]633;${longest}x\x07\x1b]133;A\x07`);
    for (const size of [bytes.length, 1_000, 65_536]) {
      const pieces: Buffer[] = [];
      for (let from = 0; from < bytes.length; from += size) pieces.push(bytes.subarray(from, from + size));
      expect(scan(0, pieces).map(({ payload }) => payload.length)).toEqual([MAX_MARK_BYTES, 1]);
    }
  });
});
