import fc from 'fast-check';
import { describe, expect, it, test, vi } from 'vitest';
import { MAX_ESCAPED_BYTES } from '#dist/workers/shard/escape-json.js';
import { fastEscaper, plainEscaper } from '#dist/workers/shard/escape-wasm.js';

const SIZE = 300_000;
const ESCAPERS = [
  ['in plain JavaScript', plainEscaper(SIZE)],
  ['by WebAssembly', fastEscaper(SIZE)],
] as const;

test('WebAssembly runs here; without it JavaScript does the work', () => {
  expect(fastEscaper(SIZE).memory.buffer.byteLength % (64 * 1024)).toBe(0);
  vi.stubGlobal('WebAssembly', undefined);
  const { memory } = fastEscaper(SIZE);
  vi.unstubAllGlobals();
  expect(memory.buffer.byteLength).toBe(SIZE);
});

const expected = (text: string) => JSON.stringify(text).slice(1, -1);

describe.each(ESCAPERS)('escaping %s', (_, escaper) => {
  /** Returns the text between the quotes; source and target begin at `offset` in their memory. */
  function escaped(text: string, offset = 0): string {
    const source = Buffer.from(`${'.'.repeat(offset)}${text}`).subarray(offset);
    return escaper.memory.toString('utf8', offset, escaper.escape(source, offset));
  }

  it('writes each byte, at each place of a word and beside each other, as JSON.stringify does', () => {
    const characters = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code));
    for (const character of characters) {
      for (let before = 0; before < 8; before++) {
        const text = `${'x'.repeat(before)}${character}${character}y${character}${'z'.repeat(40)}`;
        expect(escaped(text)).toBe(expected(text));
      }
    }
    for (const one of characters.slice(0, 0x81)) {
      const text = characters.map((other) => `${one}${other}`).join('');
      expect(escaped(text)).toBe(expected(text));
    }
  });

  it('writes any text as JSON.stringify does, wherever it lies in memory', () => {
    const text = fc
      .array(fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom('\u2028', '\x1b[0m\r\n')), {
        maxLength: 40,
      })
      .map((parts) => Buffer.from(parts.join('')).toString());
    fc.assert(
      fc.property(text, fc.nat(9), (whole, offset) => {
        expect(escaped(whole, offset)).toBe(expected(whole));
      }),
      { numRuns: 100 },
    );
  });

  it('writes text longer than one call escapes', () => {
    const text = 'a "quoted" line\r\n'.repeat(13_000);
    expect(text.length).toBeGreaterThan(3 * 64 * 1024);
    expect(escaped(text)).toBe(expected(text));
  });

  it('needs no more room than it states', () => {
    const controls = '\x1b'.repeat(SIZE / MAX_ESCAPED_BYTES);
    expect(escaped(controls)).toBe(expected(controls));
    expect(escaped(controls)).toHaveLength(SIZE);
  });
});
