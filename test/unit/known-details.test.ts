import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { KnownDetails } from '#dist/actors/processes/known-details.js';
import { LinuxProcesses } from '#dist/actors/processes/linux.js';
import { procFiles } from '#dist/actors/processes/proc-files.js';
import type { ProcessInfo } from '#dist/actors/processes/process-table.js';
import { PROCESS_DETAILS_MS } from '#dist/contract/limits.js';
import { eventually } from '../support/processes.js';

function info(pid: number, image?: string): ProcessInfo {
  const cpu = { kind: 'percent', percent: 0 } as const;
  return { pid, name: 'x', startedAt: 1, cpu, residentBytes: 1, ...(image && { image }) };
}

/** A table that reports, as the path of a process's executable, how often it has read that process. */
function rig() {
  let now = 0;
  const gone = new Set<number>();
  const reads = new Map<number, number>();
  const details = async (pids: readonly number[]) => {
    for (const pid of pids) reads.set(pid, (reads.get(pid) ?? 0) + 1);
    const living = pids.filter((pid) => !gone.has(pid));
    return new Map(living.map((pid) => [pid, { argv: [], exe: String(reads.get(pid)) }]));
  };
  const known = new KnownDetails({ details }, () => now);
  const of = async (...processes: ProcessInfo[]) => {
    const found = await known.of(processes);
    return processes.map(({ pid }) => found.get(pid)?.exe);
  };
  return { of, gone, pass: (ms: number) => (now += ms) };
}

test('are read once, and again when the process executes another program', async () => {
  const { of } = rig();
  expect(await of(info(1, 'sh'), info(2, 'sh'))).toEqual(['1', '1']);
  expect(await of(info(1, 'sh'), info(2, 'node'), info(3, 'sh'))).toEqual(['1', '2', '1']);
  expect(await of(info(1, 'sh'), info(2, 'node'))).toEqual(['1', '2']);
});

test('are read again after a time', async () => {
  const { of, pass } = rig();
  await of(info(1, 'sh'));
  pass(PROCESS_DETAILS_MS - 1);
  expect(await of(info(1, 'sh'))).toEqual(['1']);
  pass(1);
  expect(await of(info(1, 'sh'))).toEqual(['2']);
});

test('are read each time where the platform does not tell what a process executes', async () => {
  const { of } = rig();
  await of(info(1));
  expect(await of(info(1))).toEqual(['2']);
});

test('a process that has ended is left out, and read if it is there again', async () => {
  const { of, gone } = rig();
  gone.add(1);
  expect(await of(info(1, 'sh'), info(2, 'sh'))).toEqual([undefined, '1']);
  gone.clear();
  expect(await of(info(1, 'sh'))).toEqual(['2']);
});

test.runIf(process.platform === 'linux')(
  'of a real process are those of the program that it executes now, under the same name',
  async () => {
    const table = new LinuxProcesses(procFiles());
    const known = new KnownDetails(table, () => 0);
    // The child has its own session, as a terminal's shell does.
    const child = spawn('sh', ['-c', 'read line; exec sh -c "read line; exec sh" second'], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    try {
      const lastWord = async () => {
        const info = (await table.snapshot()).terminal(child.pid!)?.all ?? [];
        return (await known.of(info)).get(child.pid!)?.argv.at(-1);
      };
      await eventually(
        'the first is known',
        async () => (await lastWord())?.startsWith('read line; exec sh -c') === true,
      );
      child.stdin.write('\n');
      await eventually('the second is known', async () => (await lastWord()) === 'second');
      child.stdin.write('\n');
      await eventually('the third is known', async () => (await lastWord()) === 'sh');
    } finally {
      child.kill('SIGKILL');
    }
  },
);
