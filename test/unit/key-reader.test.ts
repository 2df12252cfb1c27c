import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeyReader } from '#dist/command/outer/key-reader.js';

/** Returns the keys in a terminal's input, which is read in pieces that end at these places. */
function keysOf(sent: Buffer, ends: readonly number[] = []): string[] {
  const keys: string[] = [];
  const reader = new KeyReader((key) => keys.push(key));
  let at = 0;
  for (const end of [...ends.filter((place) => place < sent.length).sort((a, b) => a - b), sent.length]) {
    reader.take(sent.subarray(at, end));
    at = end;
  }
  reader.flush();
  return keys;
}

const SENT: readonly (readonly [string, readonly string[]])[] = [
  ...[['\x1b[A', 'up'] as const, ['\x1bOA', 'up'] as const, ['\x1b[1;2B', 'down'] as const].map(one),
  ...[
    ['\x1b[5~', 'pageup'] as const,
    ['\x1b[6~', 'pagedown'] as const,
    ['\x1b[6;5~', 'pagedown'] as const,
  ].map(one),
  ...[['\x1b[H', 'home'] as const, ['\x1b[1~', 'home'] as const, ['\x1bOF', 'end'] as const].map(one),
  ...[['\r', 'enter'] as const, ['\x1bOM', 'enter'] as const, ['\x7f', 'backspace'] as const].map(one),
  ...[
    ['\x03', 'ctrl+c'] as const,
    ['\x1b[99;5u', 'ctrl+c'] as const,
    ['\x1b[27;5;99~', 'ctrl+c'] as const,
  ].map(one),
  ...[
    ['q', 'q'] as const,
    ['\x1b[113u', 'q'] as const,
    ['é', 'é'] as const,
    ['界', '界'] as const,
    ['🎉', '🎉'] as const,
  ].map(one),
  ...[['\x1b[27u', 'escape'] as const, ['\x1b[13u', 'enter'] as const].map(one),
  // These are no keys: a release, a modifier alone, a key with Alt, the mouse, a paste, the focus, an answer.
  ...[
    '\x1b[113;1:3u',
    '\x1b[57442;5u',

    '\x1b[113;3u',
    '\x1b[<0;5;5M',
    '\x1b[200~',
    '\x1b[I',
    '\x1b[?1;2c',
  ].map((sequence) => [sequence, []] as const),
];

function one([sent, key]: readonly [string, string]): readonly [string, readonly string[]] {
  return [sent, [key]];
}

describe('keys', () => {
  test.each(SENT)('%j is %j', (sent, keys) => {
    expect(keysOf(Buffer.from(sent))).toEqual(keys);
  });

  test('are the same however they are cut', () => {
    const sent = fc.array(fc.constantFrom(...SENT), { maxLength: 8 });
    fc.assert(
      fc.property(sent, fc.array(fc.nat(60), { maxLength: 8 }), (parts, ends) => {
        const whole = Buffer.from(parts.map(([text]) => text).join(''));
        expect(keysOf(whole, ends)).toEqual(parts.flatMap(([, keys]) => keys));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['\x1b', ['escape']],
    ['\x1b\x1b[A', ['escape', 'up']],
    ['\x1b\x1b', ['escape', 'escape']],
    ['\x1b[', ['escape', '[']],
    ['\x1bq', ['escape', 'q']],
    [`\x1b[${'1'.repeat(100)}`, ['escape', '[', ...'1'.repeat(100)]],
  ])('the beginning %j of a sequence is %j once nothing follows', (sent, keys) => {
    expect(keysOf(Buffer.from(sent))).toEqual(keys);
  });

  test('Escape comes by itself, soon', async () => {
    const key = await new Promise((resolve) => new KeyReader(resolve).take(Buffer.from('\x1b')));
    expect(key).toBe('escape');
  });
});
