import { DomainError } from '../../contract/errors.js';
import { SHARD_RETRIES, SHARD_RETRY_MS, SHARD_STEADY_MS } from '../../contract/limits.js';
import { pause } from './scope.js';

/**
 * Asks a terminal's shard, and its successor when it dies. `attempt` counts from 0. Rejects with what the shard says,
 * with `unavailable` when shards die again and again, and with the signal's reason.
 */
export async function throughShardDeaths<Result>(
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
