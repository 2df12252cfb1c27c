import { expect, test } from 'vitest';
import { LATEST_RECORD_REST_FACTOR } from '#dist/contract/limits.js';
import { LatestRecord } from '#dist/store/latest.js';

const HELD_MS = 4;

test('a value that changes often is written whole, few times, and its last state always', async () => {
  const written: number[] = [];
  const record = new LatestRecord<number>({
    all: () => new Map(),
    get: () => undefined,
    put: async (_id, value) => {
      await new Promise(setImmediate);
      if (value === 13) throw new Error('disk full');
      written.push(value);
    },
    remove: async () => undefined,
  });
  await Promise.all(Array.from({ length: 100 }, (_, value) => record.set(value)));
  expect(written.length).toBeLessThanOrEqual(2);
  expect(written.at(-1)).toBe(99);
  await expect(record.set(13)).rejects.toThrow('disk full');
  await record.set(14);
  await record.settled();
  expect(written.at(-1)).toBe(14);
});

test('a value that takes long to encode is written again only after a rest, in which the last value waits', async () => {
  const written: { value: number; at: number }[] = [];
  const record = new LatestRecord<number>({
    all: () => new Map(),
    get: () => undefined,
    put: async (_id, value) => {
      const begun = performance.now();
      // Blocks the thread, as encoding does.
      while (performance.now() - begun < HELD_MS);
      written.push({ value, at: begun });
    },
    remove: async () => undefined,
  });
  for (let value = 0; value < 20; value++) {
    void record.set(value);
    await new Promise(setImmediate);
  }
  await record.settled();
  expect(written.map(({ value }) => value)).toEqual([0, 19]);
  expect(written[1]!.at - written[0]!.at).toBeGreaterThanOrEqual(HELD_MS * LATEST_RECORD_REST_FACTOR);
});
