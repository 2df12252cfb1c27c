import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { retryAcrossShardRestart } from '../../src/actors/waits/shard-restart.js';
import { DomainError } from '../../src/contract/errors.js';
import { CALL_DEADLINE_MS, SHARD_RETRIES, SHARD_STEADY_MS } from '../../src/contract/limits.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const dead = new DomainError('unavailable');
const never = new AbortController().signal;

/** Asks shards that each live for the given time; after these, no shard dies. */
function asking(livesMs: readonly number[], signal = never) {
  const attempts: number[] = [];
  const answer = retryAcrossShardRestart(signal, async (attempt) => {
    attempts.push(attempt);
    const livesFor = livesMs[attempt];
    if (livesFor === undefined) return 'answered';
    await new Promise((resolve) => setTimeout(resolve, livesFor));
    throw dead;
  });
  answer.catch(() => undefined);
  return { attempts, answer };
}

test('a question that a dying shard leaves open goes to its successor', async () => {
  const { attempts, answer } = asking([10, 10]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([await answer, attempts]).toEqual(['answered', [0, 1, 2]]);
});

test('shards that die again and again are not asked for ever', async () => {
  const { attempts, answer } = asking(Array(100).fill(10));
  await vi.advanceTimersByTimeAsync(100_000);
  await expect(answer).rejects.toBe(dead);
  expect(attempts).toHaveLength(SHARD_RETRIES + 1);
});

test('a shard that lives, but does not answer in time, is asked again however often', async () => {
  const { answer } = asking(Array(3 * SHARD_RETRIES).fill(CALL_DEADLINE_MS));
  await vi.advanceTimersByTimeAsync(4 * SHARD_RETRIES * CALL_DEADLINE_MS);
  expect(await answer).toBe('answered');
});

test('shards that have lived long are asked again, however many have died by then', async () => {
  const { answer } = asking(Array(3 * SHARD_RETRIES).fill(SHARD_STEADY_MS));
  await vi.advanceTimersByTimeAsync(4 * SHARD_RETRIES * SHARD_STEADY_MS);
  expect(await answer).toBe('answered');
});

test('another fault is reported at once, and so is the end of the wait', async () => {
  const gone = new DomainError('terminal-not-found');
  await expect(retryAcrossShardRestart(never, () => Promise.reject(gone))).rejects.toBe(gone);
  const over = new AbortController();
  const { attempts, answer } = asking(Array(100).fill(0), over.signal);
  await vi.advanceTimersByTimeAsync(1);
  over.abort(gone);
  await expect(answer).rejects.toBe(gone);
  expect(attempts).toEqual([0]);
});
