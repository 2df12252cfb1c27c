import { expect, test } from 'vitest';
import { SecretCover } from '#dist/workers/shard/secret-cover.js';
import { Random } from '../support/random.js';

const SECRET = '0123456789abcdef00112233445566ff';
const COVERED = '*'.repeat(SECRET.length);

/** Returns the covered text of these pieces. */
function covered(pieces: readonly string[]): string[] {
  const cover = new SecretCover(SECRET);
  return pieces.map((piece) => Buffer.from(cover.cover(Buffer.from(piece))).toString());
}

test('output without the secret is passed on as it is, without a copy', () => {
  const cover = new SecretCover(SECRET);
  for (const text of ['', 'plain', SECRET.slice(0, 7), '01', SECRET.slice(1), 'ends in 0']) {
    const bytes = Buffer.from(text);
    expect(cover.cover(bytes)).toBe(bytes);
  }
});

test('the secret is covered wherever it is', () => {
  expect(covered([`k=${SECRET};s=1${SECRET}${SECRET}.`, `${SECRET}`])).toEqual([
    `k=${COVERED};s=1${COVERED}${COVERED}.`,
    COVERED,
  ]);
});

test.each([1, 2, 3, 7, 8, 9, 31])('in pieces of %i bytes no more than seven digits show', (size) => {
  const text = `x${SECRET}y\n${SECRET}${SECRET}z`;
  const pieces = text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];
  const shown = covered(pieces).join('');
  expect(shown).toHaveLength(text.length);
  expect(shown).not.toContain(SECRET.slice(0, 8));
  expect(shown).not.toContain(SECRET.slice(-8));
  const digitsCovered = shown.replace(/[0-9a-f]{1,7}(?=\*)/g, (digits) => '*'.repeat(digits.length));
  expect(digitsCovered).toBe(text.replaceAll(SECRET, COVERED));
});

test('cut anywhere, all but the secret comes through', () => {
  const random = new Random(7);
  for (let round = 0; round < 3_000; round++) {
    const parts = Array.from({ length: 6 }, () => random.of([SECRET, 'x', '\n', SECRET.slice(0, 5), 'zz']));
    const text = parts.join('');
    const pieces: string[] = [];
    for (let at = 0; at < text.length; ) {
      const end = at + 1 + random.below(40);
      pieces.push(text.slice(at, end));
      at = end;
    }
    const shown = covered(pieces).join('');
    const expected = text.replaceAll(SECRET, COVERED);
    expect(shown).toHaveLength(text.length);
    // A short beginning of the secret at the end of a piece stays visible.
    const isShown = (at: number) => expected[at] === '*' && shown[at] === text[at];
    expect(shown).toBe([...expected].map((character, at) => (isShown(at) ? text[at] : character)).join(''));
    expect(shown).not.toContain(SECRET.slice(0, 8));
  }
});
