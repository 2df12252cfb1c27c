import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretValues } from '../../src/actors/redaction/secret-values.js';
import { type KnownValue, KnownValues } from '../../src/workers/redaction/known-values.js';
import { SecretHash } from '../../src/workers/redaction/secret-hash.js';

/** Counts the values that are hashed, which is what a search may spend much time on. */
class CountingHash extends SecretHash {
  count = 0;

  override ofValue(value: string): string {
    this.count++;
    return super.ofValue(value);
  }
}

const KEY = new Uint8Array(32).fill(7);
const hash = new SecretHash(KEY);

/** Returns the places of values in a text, and how many hashes the search for them has cost. */
function search(text: string, known: readonly KnownValue[]): { found: string[]; hashes: number } {
  const counting = new CountingHash(KEY);
  const spans = new KnownValues(counting, known).find(text);
  return { found: spans.map(({ start, end }) => text.slice(start, end)), hashes: counting.count };
}

/** Returns values as earlier versions have kept them: with a fingerprint of the first eight characters alone. */
function keptBefore(env: Record<string, string>): KnownValue[] {
  const lines = Object.entries(env).flatMap(([name, value]) => value.split('\n').map((line) => [name, line]));
  return lines.map(([name, line]) => {
    const units = [...line!.slice(0, 8)].map((unit) => unit.charCodeAt(0));
    const fingerprint = units.reduce((sum, unit) => (Math.imul(sum, hash.factor) + unit) | 0, 0) >>> 0;
    return { name: name!, length: line!.length, fingerprint, hash: hash.ofValue(line!) };
  });
}

describe('a value whose lines begin alike, as those of indented JSON do', () => {
  const fields = Array.from({ length: 60 }, (_, index) => [`field${index}`, `value of field ${index}`]);
  const json = JSON.stringify({ a: { b: { c: Object.fromEntries(fields) } } }, null, 4);
  const lines = json.split('\n').filter((line) => line.includes('field'));
  const blanks = `${' '.repeat(74)}x\n`.repeat(100);

  it('costs no hash where a text has only their beginning', () => {
    expect(search(blanks, secretValues({ ACCOUNT_KEY: json }, [], hash))).toEqual({ found: [], hashes: 0 });
  });

  it('costs one hash for each line that is found', () => {
    const known = secretValues({ ACCOUNT_KEY: json }, [], hash);
    const { found, hashes } = search(`${blanks}${json}\n${blanks}`, known);
    expect(found).toEqual(expect.arrayContaining(lines));
    expect(hashes).toBe(found.length);
  });

  it('costs one hash for each place and length where an earlier version has kept it', () => {
    const same = Array.from({ length: 50 }, (_, index) => `${' '.repeat(12)}line ${index + 10}`);
    const { found, hashes } = search(
      `${' '.repeat(100)}\n${same[7]}`,
      keptBefore({ A_KEY: same.join('\n') }),
    );
    expect(found).toEqual([same[7]]);
    expect(hashes).toBeLessThanOrEqual(100);
  });
});

it('finds values that an earlier version has kept, beside others, as it finds those', () => {
  const unit = fc.constantFrom('a', 'b', '\u00e9');
  const value = fc.string({ unit, minLength: 8, maxLength: 12 });
  const values = fc.uniqueArray(value, { minLength: 1, maxLength: 5 });
  const plain = fc.string({ unit, maxLength: 60 });
  fc.assert(
    fc.property(values, values, plain, plain, (before, since, head, tail) => {
      const text = `${head}${before[0]}${tail}${since[0]}`;
      const old = keptBefore({ A: before.join('\n') });
      const known = secretValues({ B: since.join('\n') }, ['B'], hash);
      const all = secretValues({ B: [...before, ...since].join('\n') }, ['B'], hash);
      expect(search(text, [...old, ...known]).found).toEqual(search(text, all).found);
    }),
    { numRuns: 500 },
  );
});
