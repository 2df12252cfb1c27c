import { expect, test } from 'vitest';
import { MAX_RENDERS } from '../../src/contract/limits.js';
import { RenderTurns } from '../../src/workers/shard/render-turns.js';

test('a few render at once, in the order they came, also after one that failed', async () => {
  const turns = new RenderTurns();
  const begun: number[] = [];
  const finish: Array<() => void> = [];
  const all = Array.from({ length: 7 }, (_, index) =>
    turns.take(async () => {
      begun.push(index);
      await new Promise<void>((resolve) => finish.push(resolve));
      if (index === 1) throw new Error('of the second');
      return index;
    }),
  );
  const settled = Promise.allSettled(all);
  for (let ended = 0; ended < 7; ended++) {
    await new Promise(setImmediate);
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6].slice(0, MAX_RENDERS + ended));
    finish[ended]!();
  }
  const results = (await settled).map((result) => (result.status === 'fulfilled' ? result.value : 'failed'));
  expect(results).toEqual([0, 'failed', 2, 3, 4, 5, 6]);
});
