import { beforeEach, expect, it } from 'vitest';
import { RedactedText } from '../../src/actors/search/redacted-text.js';
import { SecretFinder } from '../../src/workers/redaction/secret-finder.js';
import { Random } from '../support/random.js';
import { MAKERS } from '../support/secret-corpus.js';

const finder = SecretFinder.of({ key: new Uint8Array(32), settings: { patterns: {}, allow: [] }, known: [] });
const token = MAKERS.find(({ kind }) => kind === 'npm-token')!.make(new Random(1));
const MARKER = finder.redact(token);

let isOn: boolean;
let redacted: RedactedText;
beforeEach(() => {
  isOn = true;
  redacted = new RedactedText({ isOn: () => isOn, finderOf: () => finder });
});

/** Redacts pieces of one unfinished line, which the last piece ends. */
function line(...pieces: string[]): string[] {
  return pieces.map((piece, index) => redacted.piece('term_a', piece, () => index < pieces.length - 1));
}

it('replaces a secret in one piece, and in two of them whatever the place of the cut', () => {
  expect(line(`a ${token} b`)).toEqual([`a ${MARKER} b`]);
  for (let at = 1; at < token.length; at++) {
    const [first = '', second = ''] = line(`a ${token.slice(0, at)}`, `${token.slice(at)} b`);
    // The text before the eighth secret character reveals nothing, and is not known to be a secret.
    expect(first).toBe(at < 'npm_'.length + 8 ? `a ${token.slice(0, at)}` : 'a [redacted:npm-token:cut]');
    expect(second).toBe(`${MARKER} b`);
  }
});

it('finds a secret in rows that a line editor has filled, and one that such a row ends', () => {
  const [begin, end] = [token.slice(0, 20), token.slice(20)];
  expect(line(`a ${begin}\r\n${end} b\nc`)).toEqual([`a ${MARKER} b\nc`]);
  expect(line(`a ${token}\r\nb`)).toEqual([`a ${MARKER}\nb`]);
  expect(line(`a ${begin}\r`, `${end} b`)).toEqual(['a [redacted:npm-token:cut]', `${MARKER} b`]);
  expect(line(`x\r\na ${begin.slice(0, 8)}\r\n${begin.slice(8)}`, `${end} b`)).toEqual([
    'x\na [redacted:npm-token:cut]',
    `${MARKER} b`,
  ]);
  isOn = false;
  expect(line(`a ${begin}\r\n${end} b\r`)).toEqual([`a ${begin}\n${end} b`]);
});

it('leaves the pieces of other lines, and of other terminals, apart', () => {
  expect(redacted.piece('term_a', `a\nb ${token.slice(0, 6)}`, () => false)).toBe(
    `a\nb ${token.slice(0, 6)}`,
  );
  expect(redacted.piece('term_a', token.slice(6), () => false)).toBe(token.slice(6));
  redacted.piece('term_a', token.slice(0, 6), () => true);
  expect(redacted.piece('term_b', token.slice(6), () => true)).toBe(token.slice(6));
});

it('finds a secret that seems to go on with a word, since the blanks before it are lost', () => {
  expect(line('echo', token)).toEqual(['echo', MARKER]);
});

it('keeps the beginning of a line over pieces without text', () => {
  expect(line(`a ${token.slice(0, 20)}`, '', token.slice(20))).toEqual([
    'a [redacted:npm-token:cut]',
    '',
    MARKER,
  ]);
});

it('does nothing while the setting is off', () => {
  isOn = false;
  expect(line(token.slice(0, 20), token.slice(20))).toEqual([token.slice(0, 20), token.slice(20)]);
  expect(redacted.whole('term_a', token)).toBe(token);
  isOn = true;
  expect(redacted.whole('term_a', `a ${token}`)).toBe(`a ${MARKER}`);
});

it('finds a secret of several lines that were typed at once, and leaves nothing of it in any of them', () => {
  const key = MAKERS.find(({ kind }) => kind === 'private-key')!
    .make(new Random(2))
    .split('\n');
  expect(key.length).toBeGreaterThan(2);
  const typed = redacted.lines('term_a', ['cat > key <<E', ...key, `a ${token} b`, 'E']);
  const none = key.slice(1).map(() => '');
  expect(typed).toEqual(['cat > key <<E', finder.redact(key.join('\n')), ...none, `a ${MARKER} b`, 'E']);
  isOn = false;
  expect(redacted.lines('term_a', key)).toEqual(key);
});

it('finds a private key in two pieces, wherever the first of them ends', () => {
  const key = MAKERS.find(({ kind }) => kind === 'private-key')!.make(new Random(2));
  const rows = key.split('\n').slice(1, -1);
  const leftOf = (text: string) => rows.filter((row) => text.includes(row.slice(-30)));
  for (let at = 40; at < key.length; at += 7) {
    const pieces = line(`a\n${key.slice(0, at)}`, `${key.slice(at)}\nb`);
    expect(leftOf(pieces.join('\n'))).toEqual([]);
    expect(pieces[1]).toMatch(/\nb$/);
  }
  // The line end behind a piece of whole lines is lost.
  const lines = key.split('\n');
  for (let row = 1; row < lines.length; row++) {
    const pieces = [lines.slice(0, row), [], lines.slice(row)].map((part) =>
      redacted.piece('term_a', part.join('\n'), () => false),
    );
    expect(leftOf(pieces.join('\n'))).toEqual([]);
  }
  expect(redacted.piece('term_a', 'b', () => false)).toBe('b');
});

it('takes no longer with each secret, in many rows that are full and in many typed lines', {
  timeout: 10_000,
}, () => {
  const rows = `${token} `.repeat(4_500).match(/../g)!;
  const taken = redacted.piece('term_a', rows.join('\r\n'), () => false);
  expect(taken.split(MARKER)).toHaveLength(4_501);
  expect(redacted.lines('term_a', Array<string>(60_000).fill(token)).every((each) => each === MARKER)).toBe(
    true,
  );
});
