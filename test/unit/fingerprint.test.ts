import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fingerprintOf } from '#dist/actors/operations/fingerprint.js';

test('is that of the JSON with its keys in order', () => {
  const body = { b: [1, { d: null, c: 'é"' }], a: {}, skipped: undefined, e: [] };
  const json = '{"a":{},"b":[1,{"c":"é\\"","d":null}],"e":[]}';
  expect(fingerprintOf('k', body)).toBe(createHmac('sha256', 'k').update(json).digest('base64url'));
});

test('the order of fields makes no difference, and any value does', () => {
  const reversed = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(reversed);
    const fields = Object.entries(value).reverse();
    return Object.fromEntries(fields.map(([key, field]) => [key, reversed(field)]));
  };
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      expect(fingerprintOf('k', reversed(one))).toBe(fingerprintOf('k', one));
      const isSame = fingerprintOf('k', one) === fingerprintOf('k', other);
      expect(isSame).toBe(fingerprintOf('k', [one]) === fingerprintOf('k', [other]));
      expect(fingerprintOf('k', { one })).not.toBe(fingerprintOf('k', { two: one }));
    }),
  );
});

test('of a body that is nested deeper than a call stack', () => {
  const depth = 100_000;
  const nested = (leaf: number): unknown =>
    JSON.parse(`${'{"a":['.repeat(depth)}${leaf}${']}'.repeat(depth)}`);
  expect(fingerprintOf('k', nested(1))).toBe(fingerprintOf('k', nested(1)));
  expect(fingerprintOf('k', nested(1))).not.toBe(fingerprintOf('k', nested(2)));
});
