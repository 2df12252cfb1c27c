import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { BREAK, TextStream } from '../../src/workers/shard/screen/text/text-stream.js';
import { TextMatch } from '../../src/workers/shard/waits/text-match.js';
import { cutUp } from '../support/cut-up.js';

function textOf(...pieces: Array<string | Uint8Array>): string {
  const stream = new TextStream();
  return pieces.map((piece) => stream.push(Buffer.from(piece))).join('');
}

describe('TextStream', () => {
  it.each<[string, string, string]>([
    ['lines', 'one\r\ntwo\r\r\nthree\n', 'one\ntwo\nthree\n'],
    ['colours within a word', 'PA\x1b[32mSS\x1b[m\x1b[K', 'PASS'],
    ['titles, links and marks', '\x1b]0;t\x07a\x1b]8;;http://a\x1b\\b\x1b]8;;\x1b\\\x1b]133;A\u009cc', 'abc'],
    ['strings of other kinds', 'a\x1bPq\x07data\x1b\\b\x1b_apc\x1b\\c\x1b]0;cut\x18d', 'abcd'],
    ['a line that is overwritten', '10%\r20%\r\n', `10%${BREAK}20%\n`],
    ['a line begun by erasing it', 'a\r\n\r\x1b[Kb', 'a\nb'],
    ['text elsewhere', 'foo\x1b[5;1Hbar\x1b[Cbaz\bx', `foo${BREAK}bar${BREAK}baz${BREAK}x`],
    ['other character sets', 'a\x1b(0q\x1b(Bb\x0eq', `a${BREAK}qb${BREAK}q`],
    ['C1 controls', 'a\u0085b\u00a0c', `a${BREAK}b\u00a0c`],
    ['what has no meaning', 'a\x07\0b\x7fc', 'abc'],
    ['tabs and trailing blanks', 'a\tb  \r\n', 'a\tb  \n'],
  ])('returns the text of %s', (_name, output, text) => {
    expect(textOf(output)).toBe(text);
  });

  it('returns the same however the output is cut', () => {
    const part = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 10 }),
      fc.constantFrom(
        '\r\n',
        '\r',
        '\x1b[31m',
        '\x1b[2J',
        '\x1b]0;é\x07',
        '\x1b]0;x\x1b\\',
        '\x1bPq\x1b\\',
        '\u009b',
        '\b',
      ),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), fc.array(fc.nat(), { maxLength: 8 }), (parts, cuts) => {
        const bytes = Buffer.from(parts.join(''));
        expect(textOf(...cutUp(bytes, cuts))).toBe(textOf(bytes));
        expect(textOf(...Array.from(bytes, (_byte, at) => bytes.subarray(at, at + 1)))).toBe(textOf(bytes));
      }),
    );
  });

  it('returns the same of few bytes, one by one, also where they are no UTF-8', () => {
    const BYTES = [0xc3, 0xe2, 0x80, 0x61, 0x08, 0x0a, 0x0d, 0x1b];
    const texts = BYTES.map((byte) => [byte]);
    for (let length = 2; length <= 4; length++) {
      const shorter = texts.filter((text) => text.length === length - 1);
      texts.push(...shorter.flatMap((text) => BYTES.map((byte) => [...text, byte])));
    }
    for (const text of texts) {
      const bytes = Buffer.from([...text, ...Buffer.from('\n\nend')]);
      const pieces = Array.from(bytes, (_byte, at) => bytes.subarray(at, at + 1));
      expect(textOf(...pieces)).toBe(textOf(Buffer.alloc(100, 'x\n'), bytes).slice(100));
    }
  });

  it('accepts more than it works at in one go', () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index} 日本語`);
    expect(textOf(`\x1b[31m${lines.join('\r\n')}`)).toBe(lines.join('\n'));
  });
});

describe('TextMatch', () => {
  test('finds a text as soon as it is complete, however it comes', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 30 });
    const needle = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 10 }), needle, (parts, text) => {
        const match = new TextMatch(text);
        let all = '';
        for (const part of parts) {
          all += part;
          const isFound = match.push(part);
          expect(isFound).toBe(all.includes(text));
          if (isFound) break;
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('takes CR LF for LF', () => {
    expect(new TextMatch('a\r\nb').push('a\nb')).toBe(true);
    expect(new TextMatch('a\r\nb').isIn('xa\nbx')).toBe(true);
  });
});
