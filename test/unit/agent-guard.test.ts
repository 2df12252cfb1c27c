import { expect, test } from 'vitest';
import { AgentGuard } from '#dist/actors/input-gate/agent-guard.js';
import type { Hold } from '#dist/actors/input-gate/hold.js';
import { AGENT_QUIET_MS } from '#dist/contract/limits.js';
import { hrMs } from '#dist/workers/clock.js';

/**
 * Types to a waiting agent that printed this long after the last input was accepted. Resolves with `typed`, or with the
 * code of the refusal.
 */
async function typesTo({ printedAfterMs, lookMs = 0 }: { printedAfterMs: number; lookMs?: number }) {
  const typedAt = hrMs() - 10;
  const guard = new AgentGuard({
    agentOf: async () => {
      const until = hrMs() + lookMs;
      while (hrMs() < until);
      const state = { agent: 'claude', agentStatus: 'waiting', agentStatusReason: '' } as const;
      return { state, printedAt: typedAt + printedAfterMs };
    },
  });
  const record = {
    ...{ id: 't', writes: 1, inFlight: 0 },
    lastInput: { source: 'api', at: 0, hrMs: typedAt } as const,
  };
  const hold = { check: () => undefined, release: () => undefined } as Hold;
  return guard.within(record, ['waiting'], hold, async () => 'typed').catch(({ code }) => code);
}

test('an agent that has printed since the last input has reacted, however long the look at it takes', async () => {
  expect(await typesTo({ printedAfterMs: 0.1 })).toBe('typed');
  expect(await typesTo({ printedAfterMs: 0.1, lookMs: 50 })).toBe('typed');
});

test('an agent that has printed only before the last input was accepted has not', async () => {
  expect(await typesTo({ printedAfterMs: -0.1 })).toBe('agent-busy');
  expect(await typesTo({ printedAfterMs: -0.1, lookMs: 50 })).toBe('agent-busy');
  expect(AGENT_QUIET_MS).toBeGreaterThan(60);
});
