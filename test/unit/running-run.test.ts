import { expect, it, vi } from 'vitest';
import { KeyedMutex } from '../../src/actors/keyed-mutex.js';
import { newRun } from '../../src/actors/runs/new-run.js';
import { type RunDeps, RunningRun } from '../../src/actors/runs/running-run.js';
import { DomainError } from '../../src/contract/errors.js';

it('ends with its outcome although no shard answers for the screen of its terminal', async () => {
  const gone = () => {
    throw new DomainError('terminal-not-found');
  };
  const onEnd = vi.fn();
  const look = vi.fn(() => Promise.reject(new DomainError('unavailable')));
  const parts = { terminals: { startOf: gone }, commands: { shellStatus: gone }, screens: { look } };
  const run = newRun('run_aaaaaaaaaaaa', { command: 'true', timeoutMs: 60_000, idleMs: 1, maxBytes: 1 });
  const running = new RunningRun({ ...run, terminalIds: ['t'], origin: 'fleet', closes: false }, {
    ...{ parts, turns: new KeyedMutex(), stopping: new AbortController().signal, onEnd, onOver: () => {} },
    ...{ store: { put: async () => true, putPart: async () => true }, logger: { error: () => {} } },
  } as unknown as RunDeps);
  expect(await running.over).toBe(true);
  expect(look).toHaveBeenCalled();
  expect(onEnd).toHaveBeenCalledTimes(1);
  expect(running.first).toMatchObject({ screen: null, result: { code: 'terminal-not-found' } });
});
