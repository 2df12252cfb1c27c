import { describe, expect, it } from 'vitest';
import type { BatchAnswer } from '#dist/contract/execute.js';
import { openTerminal, runInAll } from '../support/runs.js';
import { useService } from '../support/use-service.js';

const COUNT = 300;
const AT_ONCE = 16;
const ROUNDS = 3;

const used = useService();

/** Opens the terminals, each with its number in the environment. */
async function openAll(): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < COUNT; index = next++)
      ids[index] = await openTerminal(used.api, ['bash'], { env: { INDEX: String(index) } });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return ids;
}

describe(`batch/run in ${COUNT} terminals`, () => {
  it('every exit code right, in new terminals and right after other input', async () => {
    const ids = await openAll();
    for (let round = 0; round < ROUNDS; round++) {
      if (round > 0) {
        // The line has begun in some terminals, and not yet in others.
        const typed = { terminalIds: ids, data: 'sleep 0.3; false\r' };
        const { body } = await used.api.post<BatchAnswer>('/api/terminals/batch/input', typed);
        expect(body.summary.succeeded).toBe(COUNT);
      }
      const command = `echo "round ${round} of $INDEX"; sleep 0.2; (exit $((INDEX % 256)))`;
      const { results, summary } = await runInAll(used.api, ids, command, { timeoutMs: 120_000 });
      const zero = ids.filter((_, index) => index % 256 === 0).length;
      // A summary would not say why a run failed.
      expect(results.filter(({ success }) => !success).slice(0, 3)).toEqual([]);
      expect(summary).toEqual({
        ...{ total: COUNT, succeeded: COUNT, failed: 0, done: COUNT, zero, nonZero: COUNT - zero },
      });
      expect(results.map(({ terminalId, exitCode, raw }) => [terminalId, exitCode, raw])).toEqual(
        ids.map((id, index) => [id, index % 256, `round ${round} of ${index}\n`]),
      );
    }
    // Node must not warn of the many listeners as a leak.
    expect(used.service.log()).not.toContain('Warning');
  });
});
