import { expect, it, vi } from 'vitest';
import { KeyedMutex } from '../../src/actors/keyed-mutex.js';
import { newRun } from '../../src/actors/runs/new-run.js';
import { type RunDeps, RunningRun } from '../../src/actors/runs/running-run.js';
import { DomainError } from '../../src/contract/errors.js';

/** Runs a command in a terminal that is gone; `closing` settles the close of the terminal, if the run closes it. */
async function ended(look: () => Promise<unknown>, closing?: () => Promise<void>) {
  const gone = () => {
    throw new DomainError('terminal-not-found');
  };
  const [onEnd, logged] = [vi.fn(), vi.fn()];
  const parts = { terminals: { startOf: gone }, commands: { shellStatus: gone }, screens: { look } };
  const run = newRun('run_aaaaaaaaaaaa', { command: 'true', timeoutMs: 60_000, idleMs: 1, maxBytes: 1 });
  const closes = closing !== undefined;
  const running = new RunningRun({ ...run, terminalIds: ['t'], origin: 'fleet', closes }, {
    ...{ parts, turns: new KeyedMutex(), stopping: new AbortController().signal, onEnd, onOver: () => {} },
    ...{ store: { put: async () => true, putPart: async () => true }, logger: { error: logged } },
    terminals: { close: closing },
  } as unknown as RunDeps);
  expect(await running.over).toBe(true);
  return { running, onEnd, logged };
}

const noShard = () => Promise.reject(new DomainError('unavailable'));

it('ends with its outcome although no shard answers for the screen of its terminal', async () => {
  const look = vi.fn(noShard);
  const { running, onEnd } = await ended(look);
  expect(look).toHaveBeenCalled();
  expect(onEnd).toHaveBeenCalledTimes(1);
  expect(running.first).toMatchObject({ screen: null, result: { code: 'terminal-not-found' } });
});

it('logs that its terminal could not be closed, unless somebody has closed it', async () => {
  const { logged } = await ended(noShard, noShard);
  expect(logged.mock.calls).toMatchObject([
    [{ terminal: 't', err: { code: 'unavailable' } }, expect.any(String)],
  ]);
  const closed = () => Promise.reject(new DomainError('terminal-not-found'));
  expect((await ended(noShard, closed)).logged).not.toHaveBeenCalled();
});
