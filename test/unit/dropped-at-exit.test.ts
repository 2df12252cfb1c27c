import { expect, it } from 'vitest';
import { Registry } from '../../src/actors/registry.js';
import { newProgress } from '../../src/actors/runs/progress.js';
import { runCommand } from '../../src/actors/runs/run-command.js';
import type { RunParts } from '../../src/actors/runs/typed.js';
import { type TerminalRecord, unknownMeta } from '../../src/actors/terminal-record.js';
import { Scope } from '../../src/actors/waits/scope.js';
import { WaitLimit } from '../../src/actors/waits/wait-limit.js';
import { Waits, type WaitsOptions } from '../../src/actors/waits/waits.js';
import { DomainError } from '../../src/contract/errors.js';
import type { ExitStatus } from '../../src/contract/terminal.js';
import { WaitBody } from '../../src/contract/wait.js';

const EXITED = { exitCode: 5, signal: null, exitedAt: Date.now() };
const GONE = new DomainError('terminal-not-found');

/**
 * A terminal that the registry drops at its exit. `end` resolves once it has been dropped: on a busy machine, runs and
 * waits learn of the exit no sooner.
 */
function unkept(how: ExitStatus | 'closed') {
  let expired = () => {};
  const dropped = new Promise<void>((resolve) => {
    expired = resolve;
  });
  const registry = new Registry({ keepExitedMs: () => 0, maxExited: 10, onExpired: expired });
  const terminal: TerminalRecord = {
    ...{ id: 'term', handle: 1, pid: 1, meta: unknownMeta(), size: { cols: 80, rows: 24 }, exit: null },
  };
  registry.add(terminal);
  const end = async () => {
    if (how === 'closed') {
      registry.remove('term');
      return;
    }
    registry.exited(terminal, how);
    await dropped;
  };
  const commands = {
    isExpected: () => false,
    shellStatus: () => ({ integration: 'none' }),
    follow: () => {
      throw GONE;
    },
  };
  return { end, commands, startOf: (id: string) => registry.get(id) };
}

/** Follows a command that was typed into such a terminal. */
async function runTo(how: ExitStatus | 'closed') {
  const { end, commands, startOf } = unkept(how);
  const parts = {
    terminals: { startOf, wasTyped: async () => true },
    screens: { place: () => end().then(() => Promise.reject(GONE)) },
    commands,
    lines: { isTaken: () => false },
  } as unknown as RunParts;
  const request = { id: 'term', runId: 'run', command: 'exit 5', origin: 'fleet' as const, idleMs: 100 };
  const progress = { ...newProgress(), isTyped: true };
  const scope = new Scope(60_000, new AbortController().signal);
  await runCommand(parts, { ...request, isResumed: true }, scope, progress).finally(() => scope.end());
  return progress;
}

/** Waits for the exit of such a terminal. */
function waitTo(how: ExitStatus | 'closed', until: 'exit' | 'idle') {
  const { end, commands, startOf } = unkept(how);
  const options = {
    terminals: { startOf },
    screens: {
      place: () => end().then(() => ({ cursor: 'from' })),
      output: () => Promise.reject(GONE),
      until: () => Promise.reject(GONE),
    },
    commands,
    places: new WaitLimit(10),
  } as unknown as WaitsOptions;
  return new Waits(options).wait('term', WaitBody.parse({ until }), new AbortController().signal);
}

it('a run whose command ends its terminal has the exit code, also if the terminal is not kept', async () => {
  expect(await runTo(EXITED)).toMatchObject({ isDone: true, exitCode: 5 });
});

it.each<[string, ExitStatus | 'closed']>([
  ['was lost', { ...EXITED, exitCode: null, reason: 'host-lost' }],
  ['was closed', 'closed'],
])('a run whose terminal %s is not done', async (_how, end) => {
  await expect(runTo(end)).rejects.toMatchObject({ code: 'terminal-not-found' });
});

it('a wait has the exit code of a terminal that is not kept', async () => {
  expect(await waitTo(EXITED, 'exit')).toMatchObject({ done: true, reason: 'exit', exitCode: 5 });
  expect(await waitTo(EXITED, 'idle')).toMatchObject({ done: false, reason: 'exit', exitCode: 5 });
});

it('a wait in a terminal that was closed has no exit code', async () => {
  expect(await waitTo('closed', 'exit')).toMatchObject({ done: true, reason: 'exit', exitCode: null });
  await expect(waitTo('closed', 'idle')).rejects.toMatchObject({ code: 'terminal-not-found' });
});
