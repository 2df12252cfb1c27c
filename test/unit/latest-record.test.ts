import { expect, test } from 'vitest';
import { LatestRecord } from '#dist/store/latest.js';

test('a value that changes often is written whole, the last one for sure, few times', async () => {
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
