import { DomainError } from '../../contract/errors.js';
import { SHARD_RETRIES, SHARD_RETRY_MS, SHARD_STEADY_MS } from '../../contract/limits.js';
import { pause } from '../abortable.js';

/**
 * Asks a terminal's shard, and asks again if it does not answer in time, or dies and has a successor. `attempt` counts
 * from 0. Rejects with the shard's own error, with the signal's reason, and with `unavailable` after more than
 * SHARD_RETRIES deaths in a row. A call that lasted SHARD_STEADY_MS starts the count anew.
 */
export async function retryAcrossShardRestart<Result>(
  signal: AbortSignal,
  ask: (attempt: number) => Promise<Result>,
): Promise<Result> {
  let failures = 0;
  for (let attempt = 0; ; attempt++) {
    const begin = performance.now();
    try {
      return await ask(attempt);
    } catch (error) {
      signal.throwIfAborted();
      const mayComeBack = error instanceof DomainError && error.code === 'unavailable';
      if (performance.now() - begin >= SHARD_STEADY_MS) failures = 0;
      if (!mayComeBack || failures === SHARD_RETRIES) throw error;
      failures++;
      await pause(SHARD_RETRY_MS * failures, signal);
    }
  }
}
