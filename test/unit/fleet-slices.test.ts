import { expect, test } from 'vitest';
import { Slices } from '../../src/workers/fleet-link/slices.js';

/** Spends time, as the check of a signature does. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('items are handled in order, and other events get their turn between slices', async () => {
  const handled: number[] = [];
  let behind = 0;
  const slices = new Slices<number>((item) => {
    work(0.5);
    handled.push(item);
    if (item === 99) slices.add(100);
  });
  for (let item = 0; item < 100; item++) slices.add(item);
  const turn = new Promise<void>((resolve) => {
    setImmediate(() => {
      behind = handled.length;
      resolve();
    });
  });
  await turn;
  expect(behind).toBeGreaterThan(0);
  expect(behind).toBeLessThan(50);
  await expect.poll(() => handled.length).toBe(101);
  expect(handled).toEqual(Array.from({ length: 101 }, (_, index) => index));
});

test('an item that comes alone is handled at once', () => {
  const handled: number[] = [];
  const slices = new Slices<number>((item) => void handled.push(item));
  slices.add(1);
  expect(handled).toEqual([1]);
});
