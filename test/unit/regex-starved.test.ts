import { Script } from 'node:vm';
import { expect, it } from 'vitest';
import { runFor } from '#dist/workers/jobs/regex.js';
import { beginRunTime, newRunTime, threadMs, threadNumber, usedMs } from '#dist/workers/thread-time.js';

/** A thread that gets a processor for a share of its time, and work that takes `needsMs` of it. */
function thread(share: number, needsMs: number) {
  const at = { ms: 0 };
  const timeouts: number[] = [];
  const run = (timeoutMs: number): string => {
    timeouts.push(timeoutMs);
    at.ms += Math.min(needsMs, share * timeoutMs);
    if (needsMs > share * timeoutMs) new Script('for (;;);').runInNewContext({}, { timeout: 1 });
    return 'done';
  };
  return { run, now: () => at.ms, timeouts };
}

it('a run that was kept from the processor is run again for longer', () => {
  const { run, now, timeouts } = thread(0.02, 5);
  expect(runFor(50, run, now)).toEqual({ result: 'done', tookMs: 5 });
  expect(timeouts).toEqual([50, 100, 200, 400]);
});

it('a run that takes too long is not, and no longer than its time if it is the only one', () => {
  const alone = thread(0.99, 1_000);
  expect(() => runFor(50, alone.run, alone.now)).toThrow('timed out');
  expect(alone.timeouts).toEqual([50]);
  const starved = thread(0.02, 1_000);
  expect(() => runFor(50, starved.run, starved.now)).toThrow('timed out');
  expect(starved.timeouts.at(-1)).toBe(3_200);
});

it('other errors end it at once', () => {
  const run = () => {
    throw new RangeError('deep');
  };
  expect(() => runFor(50, run, () => 0)).toThrow('deep');
});

it.runIf(process.platform === 'linux')('counts what a thread works, and not what it waits', () => {
  const run = newRunTime();
  expect(usedMs(run)).toBe(0);
  const before = threadMs(threadNumber()!)!;
  beginRunTime(run, threadNumber());
  // The thread stands still, so that nothing else can use its processor time.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, 300);
  expect(usedMs(run)).toBeLessThan(250);
  while (threadMs(threadNumber()!)! - before < 300);
  expect(usedMs(run)).toBeGreaterThanOrEqual(49);
  expect(threadMs(2 ** 22 + 1)).toBeUndefined();
  beginRunTime(run, undefined);
  expect(usedMs(run)).toBe(Number.POSITIVE_INFINITY);
});
