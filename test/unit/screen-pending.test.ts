import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Screen } from '../../src/workers/shard/screen/screen.js';
import { internals, ParserState } from '../../src/workers/shard/screen/xterm/internals.js';
import {
  MAX_PENDING_BYTES,
  UnfinishedSequence,
} from '../../src/workers/shard/screen/xterm/unfinished-sequence.js';
import { assertSameState } from '../support/screen-compare.js';
import { Bare, type Step } from '../support/screen-pair.js';
import { linesOf } from '../support/screen-rows.js';
import { steps } from '../support/screen-streams.js';

const SIZE = { cols: 20, rows: 5, scrollback: 20 };

function pendingOf(...output: (string | Buffer)[]): string {
  const screen = new Screen(SIZE);
  for (const part of output) screen.feed(Buffer.from(part));
  return Buffer.from(screen.pending()).toString('latin1');
}

test.each([
  ['text', 'abc', ''],
  ['a finished sequence', 'a\x1b[31m', ''],
  ['an escape', 'a\x1b', '\x1b'],
  ['a CSI sequence', 'a\x1b[3;', '\x1b[3;'],
  ['one that begins anew', '\x1b[3\x1b[4', '\x1b[4'],
  ['one that was cancelled', '\x1b[3\x18', ''],
  ['a control within', '\x1b[3\n;4\x07', '\x1b[3;4'],
  ['an OSC string', '\x1b]0;title', '\x1b]0;title'],
  ['an OSC string and half its end', '\x1b]0;title\x1b', '\x1b'],
  ['an OSC string with a control', '\x1b]0;a\nb', '\x1b]0;a\nb'],
  ['a DCS string', 'x\x1bP$qr\n', '\x1bP$qr\n'],
  ['an APC string', '\x1b_abc', '\x1b_abc'],
  ['a designation', '\x1b(', '\x1b('],
  ['an 8-bit introducer', 'a\u009b3', '\xc2\x9b3'],
  ['an 8-bit string', 'a\u009d2;x', '\xc2\x9d2;x'],
  ['an 8-bit end', 'a\x1b]2;x\u009c', ''],
])('after %s', (_name, output, pending) => {
  expect(pendingOf(output)).toBe(pending);
  expect(pendingOf(...output)).toBe(pending);
});

test('half a character is pending, alone or in a string', () => {
  expect(pendingOf(Buffer.from([0x61, 0xe2, 0x80]))).toBe('\xe2\x80');
  expect(pendingOf(Buffer.from([0xf0, 0x9f, 0x91]))).toBe('\xf0\x9f\x91');
  expect(pendingOf(Buffer.from([0xc3]))).toBe('\xc3');
  expect(pendingOf(Buffer.from([0xe2, 0x28]))).toBe('');
  expect(pendingOf('\x1b]0;', Buffer.from([0xe2, 0x80]))).toBe('\x1b]0;\xe2\x80');
});

test('split characters show', () => {
  const text = Buffer.from('“a—b” 中 👩\u200d💻 é');
  for (let at = 1; at < text.length; at++) {
    const screen = new Screen(SIZE);
    screen.feed(text.subarray(0, at));
    screen.feed(text.subarray(at));
    expect(linesOf(screen)).toEqual([text.toString()]);
  }
});

describe('a sequence past the bound', () => {
  test.each([
    ['OSC', '\x1b]52;c;', 'A', '0;x\x07'],
    ['DCS', '\x1bPq', '#', '0;x\x1b\\'],
    ['APC', '\x1b_G', 'x', '0;x\x1b\\'],
    ['CSI', '\x1b[', '1;', 'J'],
    ['invalid CSI', '\x1b[?1?', '1', 'J'],
    ['DCS without a name', '\x1bP', '1;', '|0;x\x1b\\'],
    ['ESC', '\x1b', '#', '8'],
  ])('%s leads to the state that swallows the rest', (_name, start, filling, end) => {
    const screen = new Screen(SIZE);
    const output = start + filling.repeat(MAX_PENDING_BYTES);
    screen.feed(Buffer.from(`before${output}`));
    expect(screen.pending().length).toBeLessThan(8);
    expect(screen.pendingLength).toBe(output.length);
    const copy = new Screen(SIZE);
    copy.feed(Buffer.from(screen.serialize({ scrollback: true })));
    copy.feed(screen.pending());
    copy.feed(Buffer.from(`${filling.repeat(9)}${end}after`));
    expect(linesOf(copy)).toEqual(['beforeafter']);
  });
});

/**
 * Bytes as a program may send them, but with wraparound on: without it, xterm looks at the cell before the
 * cursor only at the start of a piece of text, so that cuts at the right edge change the result.
 */
function bytesOf(sequence: readonly Step[]): Buffer {
  const output = sequence.filter((step) => typeof step === 'string' && step !== '\x1b[?7l') as string[];
  return Buffer.from(output.join(''));
}

const stream = fc
  .tuple(steps(25).map(bytesOf), fc.uint8Array({ maxLength: 6 }), steps(3).map(bytesOf))
  .map((parts) => Buffer.concat(parts));

test('fed byte by byte it is the same screen', () => {
  fc.assert(
    fc.property(stream, (bytes) => {
      const [whole, bytewise] = [new Bare(SIZE, 20), new Bare(SIZE, 20)];
      whole.do(bytes);
      for (const byte of bytes) bytewise.do(Uint8Array.of(byte));
      assertSameState(bytewise.term, whole.term, { scrollback: true, isLater: false });
      expect(Buffer.from(bytewise.pending())).toEqual(Buffer.from(whole.pending()));
    }),
    { numRuns: 200 },
  );
});

test('pending bytes bring a parser to the same state, and are empty in the ground state', () => {
  fc.assert(
    fc.property(stream, fc.nat(), (bytes, at) => {
      const cut = bytes.subarray(0, at % (bytes.length + 1));
      const [original, copy] = [new Bare(SIZE, 20), new Bare(SIZE, 20)];
      original.do(cut);
      copy.do(original.pending());
      const state = (bare: Bare) => internals(bare.term)._inputHandler._parser.currentState;
      expect(state(copy)).toBe(state(original));
      const hasHalf = new UnfinishedSequence().wholeCharacters(cut).length < cut.length;
      if (!hasHalf) expect(original.pending().length === 0).toBe(state(original) === ParserState.ground);
    }),
    { numRuns: 300 },
  );
});
