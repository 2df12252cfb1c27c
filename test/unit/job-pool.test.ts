import { expect, onTestFinished, test } from 'vitest';
import { JobPool } from '#dist/workers/jobs/pool.js';
import { newRunTime } from '#dist/workers/thread-time.js';

/** Backtracks for longer than any test lasts. */
const ENDLESS = { pattern: '(a|a)+$', texts: [`${'a'.repeat(40)}b`] };
const QUICK = { pattern: 'x', texts: ['x'] };

const matching = (what: typeof QUICK) => ({ ...what, deadlineMs: 600_000, begun: newRunTime() });

test('jobs that wait for a thread that is ended get the next one', async () => {
  const pool = new JobPool({ maxThreads: 1 });
  onTestFinished(() => pool.close());
  const ending = new AbortController();
  const input = matching(ENDLESS);
  const running = pool.run('matchPattern', input, { signal: ending.signal });
  await expect.poll(() => input.begun.some((each) => each !== 0)).toBe(true);
  const waiting = pool.run('matchPattern', matching(QUICK));
  ending.abort();
  await expect(running).rejects.toThrow('aborted');
  expect(await waiting).toMatchObject({ kind: 'found' });
});
