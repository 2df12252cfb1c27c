import { expect, it } from 'vitest';
import { newRun } from '../../src/actors/runs/new-run.js';
import { type RunDeps, RunningRun } from '../../src/actors/runs/running-run.js';

/**
 * A run whose command ends just before its shard answers: `atPlace` and `atRead` are called then. The run follows its
 * shell no longer once its time is over, and the shell goes on printing after the command.
 */
function create(timeoutMs: number, { atPlace = () => {}, atRead = () => {} }) {
  const ranges: { start: string; end?: string }[] = [];
  const command = (end: string | null, exitCode: number | null) => ({
    id: 'cmd',
    outputCursor: { start: 'begin', end },
    ...{ exitCode, startedAt: 1, endedAt: end && 2 },
  });
  /** The command as the shell has reported it by now. */
  const shell = { command: command(null, null) };
  const never = (_id: string, signal: AbortSignal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  const screens = {
    place: async () => {
      atPlace();
      return { cursor: 'behind the next command' };
    },
    rangeText: async (_id: string, range: { start: string; end?: string }) => {
      atRead();
      ranges.push(range);
      return { text: 'text', truncated: false };
    },
  };
  const commands = { find: () => shell.command, shellStatus: () => ({ integration: 'bash' }) };
  const run = newRun('run_aaaaaaaaaaaa', { command: 'true', timeoutMs, idleMs: 1, maxBytes: 100 });
  const running = new RunningRun({ ...run, terminalIds: ['t'], origin: 'api', closes: false }, {
    ...{ parts: { screens, commands }, turns: { take: never }, stopping: new AbortController().signal },
    ...{ store: { put: async () => true, putPart: async () => true }, onEnd: () => {}, onOver: () => {} },
  } as unknown as RunDeps);
  const { progress } = running.parts[0]!;
  const followed = shell.command;
  Object.assign(progress, { isTyped: true, commands: () => [followed] });
  const end = () => {
    shell.command = command('end', 7);
  };
  const learn = () => {
    end();
    Object.assign(progress, { isDone: true, commands: () => [shell.command] });
  };
  return { running, ranges, end, learn };
}

it('ends the output of a run whose time is over where its command has ended, also if it follows it no longer', async () => {
  const { running, ranges, end } = create(1, { atPlace: () => end() });
  await running.over;
  expect(ranges).toMatchObject([{ start: 'begin', end: 'end' }]);
});

it('ends the output of a run under way where its command ends as it is looked at', async () => {
  const { running, ranges, learn } = create(60_000, { atPlace: () => learn() });
  expect(await running.results()).toMatchObject([{ done: true, exitCode: 7 }]);
  expect(ranges).toMatchObject([{ start: 'begin', end: 'end' }]);
});

it('does not report the end of a command beside output that was read up to an earlier moment', async () => {
  const { running, ranges, learn } = create(60_000, { atRead: () => learn() });
  expect(await running.results()).toMatchObject([{ done: false, exitCode: null, reason: 'running' }]);
  expect(ranges).toMatchObject([{ start: 'begin', end: 'behind the next command' }]);
  expect(await running.results()).toMatchObject([{ done: true, exitCode: 7 }]);
  expect(ranges[1]).toMatchObject({ start: 'begin', end: 'end' });
});
