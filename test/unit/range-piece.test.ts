import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { follow } from '../support/followed-range.js';
import { DRAWN, OVERWRITTEN, outputOf, WRITTEN } from '../support/output-parts.js';
import { tries } from '../support/tries.js';

const RUNS = tries(150);

/** Reads after each write; resolves with the texts of the pieces. */
async function piecesOf(writes: string[], before = '$ x\r\n') {
  const reader = await follow(before);
  for (const output of writes) {
    reader.write(Buffer.from(output));
    await reader.read();
  }
  const { joined, whole } = await reader.finish();
  expect(joined).toBe(whole);
  return reader.pieces.map(({ dropped, text }) => (dropped > 0 ? [dropped, text] : text));
}

describe('readPiece', () => {
  it.each<[string, string[], (string | [number, string])[]]>([
    ['lines, once they have ended', ['a', '\r', '\nb\r\nc'], ['', '', 'a\nb\n', 'c']],
    [
      'nothing of a progress bar before its last state',
      ['10%', '\r50%', '\r99%\r\nb'],
      ['', '', '99%\n', 'b'],
    ],
    ['no part of a sequence or character', ['\x1b[3', '1ma\r\n\xe2', 'x\r\n'], ['', 'a\n', 'âx\n', '']],
    [
      'lines that are drawn again, once the range has ended',
      ['a: 1\r\nb: 1\r\n', '\x1b[2Aa: 2\r\nb: 1\r\n', '\x1b[2Aa: 3\r\n\r\nc'],
      ['a: 1\nb: 1\n', '', '', [2, 'a: 3\nb: 1\nc']],
    ],
    [
      'only the lines that have changed',
      ['a\r\nb\r\nc\r\n', '\x1b[2A\x1b[10C[ok]\r\n\r\n'],
      ['a\nb\nc\n', '', [2, 'b         [ok]\nc\n']],
    ],
    [
      'a drawing and lines below it, once a screen of lines is written',
      ['a\r\n\x1b[Ab\r\n', '1\r\n2\r\n3\r\n4\r\n5\r\n', '6\r\n', '7\r\n'],
      ['a\n', '', [1, 'b\n1\n2\n3\n4\n5\n6\n'], '7\n', ''],
    ],
    [
      'no drawing on an alternate screen that it leaves',
      ['a\r\n\x1b[?1049hX', '\r\n'.repeat(9), '\x1b[?1049lb'],
      ['a\n', '', '', 'b'],
    ],
    ['nothing twice', ['a\r\n', '', ''], ['a\n', '', '', '']],
  ])('returns %s', async (_name, writes, pieces) => {
    expect(await piecesOf(writes)).toEqual(pieces);
  });

  it('returns a line that is very long in parts', async () => {
    const reader = await follow('');
    reader.write(Buffer.from('é'.repeat(100_000)));
    await reader.read();
    expect(reader.pieces[0]!.text).toMatch(/^é{32768,}$/);
    reader.write(Buffer.from('\r\nb'));
    const { joined, whole } = await reader.finish();
    expect(joined).toBe(whole);
    expect(whole).toBe(`${'é'.repeat(100_000)}\nb`);
  });

  it('ends pieces at about the wanted size', async () => {
    const reader = await follow('', 1_000);
    reader.write(Buffer.from('0123456789abcdef\r\n'.repeat(1_000)));
    await reader.read();
    expect(reader.pieces.length).toBe(18);
    for (const { text } of reader.pieces) expect(text.length).toBeLessThan(1_020);
    const { joined, whole } = await reader.finish();
    expect(joined).toBe(whole);
  });

  it('reports a gap once, and continues with what is left', async () => {
    const reader = await follow('');
    reader.write(Buffer.from('first\r\n'));
    await reader.read();
    reader.write(Buffer.from('0123456789abcdef\r\n'.repeat(40_000)));
    await reader.read();
    reader.write(Buffer.from('last\r\n'));
    const { joined } = await reader.finish();
    expect(reader.pieces.map(({ gap }) => gap)).toEqual([false, true, false]);
    expect(joined).toMatch(/^first\n(0123456789abcdef\n)+last\n$/);
  });
});

test.each([
  ['written', WRITTEN, true],
  ['overwritten', [...WRITTEN, ...OVERWRITTEN], true],
  ['drawn', [...WRITTEN, ...OVERWRITTEN, ...DRAWN], false],
])('pieces of %s output join to its text, wherever it is read', async (_name, parts, isForward) => {
  const before = fc.constantFrom('', '$ x\r\n', 'full\r\n'.repeat(9), '$ ');
  const cuts = fc.array(fc.nat(), { maxLength: 8 });
  const sizes = fc.constantFrom(1, 30, 1_000_000);
  await fc.assert(
    fc.asyncProperty(
      outputOf(parts, { maxLength: 60 }),
      before,
      cuts,
      sizes,
      async (output, head, places, maxBytes) => {
        const reader = await follow(head, maxBytes);
        const at = [...new Set(places.map((place) => place % (output.length + 1)))].sort((a, b) => a - b);
        for (const [index, begin] of [0, ...at].entries()) {
          reader.write(output.subarray(begin, at[index]));
          await reader.read();
        }
        const { joined, whole } = await reader.finish();
        expect(joined).toBe(whole);
        if (isForward) expect(reader.pieces.every(({ dropped }) => dropped === 0)).toBe(true);
      },
    ),
    { numRuns: RUNS },
  );
});
