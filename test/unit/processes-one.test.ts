import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LinuxProcesses } from '#dist/actors/processes/linux.js';
import { procFiles } from '#dist/actors/processes/proc-files.js';
import type { ProcessTable } from '#dist/actors/processes/process-table.js';
import { Processes, type ProcessesOptions } from '#dist/actors/processes/processes.js';
import { fakeProc } from '../support/fake-proc.js';
import { eventually } from '../support/processes.js';

describe('wakings', () => {
  const status = (state: string) =>
    `Name:\tdash\nState:\t${state}\nThreads:\t1\nvoluntary_ctxt_switches:\t41\nnonvoluntary_ctxt_switches:\t3\n`;
  const wakings = (read: (path: string) => string | null) =>
    new LinuxProcesses({ ...fakeProc([]), read }).wakings(7);

  test('are how often a process that sleeps has had a processor', () => {
    expect(wakings((path) => (path === '7/status' ? status('S (sleeping)') : null))).toBe(44);
  });

  test('are not reported for a running or ended process, or if the system does not count them', () => {
    for (const state of ['R (running)', 'Z (zombie)', 'T (stopped)'])
      expect(wakings(() => status(state))).toBeNull();
    expect(wakings(() => null)).toBeNull();
    expect(wakings(() => 'Name:\tdash\nState:\tS (sleeping)\n')).toBeNull();
  });

  test('of a real process are reported while it waits', async () => {
    const child = spawn('sh', ['-c', 'read x'], { stdio: ['pipe', 'ignore', 'ignore'] });
    const table = new LinuxProcesses(procFiles());
    await eventually('it sleeps', () => table.wakings(child.pid!) !== null);
    child.stdin.end('\n');
    await eventually('it has ended', () => table.wakings(child.pid!) === null);
  });
});

describe('the threads of a process', () => {
  const WAITS_FOR_THREAD = `
    const { Worker } = require('node:worker_threads');
    const shared = new Int32Array(new SharedArrayBuffer(4));
    new Worker("const { workerData } = require('node:worker_threads'); for (;;) Atomics.load(workerData, 0);",
      { eval: true, workerData: shared }).on('online', () => { Atomics.wait(shared, 0, 0, 3_600_000); });`;

  test('do not all sleep while the main thread waits for one that computes', async () => {
    const child = spawn(process.execPath, ['-e', WAITS_FOR_THREAD], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const table = new LinuxProcesses(procFiles());
    const isWaiting = () => table.identify(child.pid!)?.state === 'S';
    await eventually('only the main thread sleeps', () => isWaiting() && !table.areThreadsAsleep(child.pid!));
  });

  test('all sleep while it waits; those of an ended process do not', async () => {
    const child = spawn('sh', ['-c', 'read x'], { stdio: ['pipe', 'ignore', 'ignore'] });
    const table = new LinuxProcesses(procFiles());
    await eventually('it sleeps', () => table.areThreadsAsleep(child.pid!));
    child.stdin.end('\n');
    await once(child, 'close');
    expect(table.areThreadsAsleep(child.pid!)).toBe(false);
  });
});

describe('the working directory of a process', () => {
  test('is read from the link of the process; a removed one is not reported', () => {
    const cwd = (target: string | null) => new LinuxProcesses({ ...fakeProc([]), link: () => target }).cwd(7);
    expect(cwd('/home/ada')).toBe('/home/ada');
    expect(cwd('/home/ada (deleted)')).toBeNull();
  });

  test('tells an ended process, also before its parent has noticed, from one that the system hides', () => {
    const cwd = (state?: string) => new LinuxProcesses(fakeProc(state ? [{ pid: 7, state }] : [])).cwd(7);
    expect(cwd()).toBeUndefined();
    expect(cwd('Z')).toBeUndefined();
    expect(cwd('S')).toBeNull();
  });

  test('is that of the shell once the process in the foreground has ended', () => {
    const folders = new Map<number, string | null>([
      [1, '/shell'],
      [2, '/program'],
      [3, null],
    ]);
    const table = { cwd: (pid: number) => folders.get(pid) } as ProcessTable;
    const processes = new Processes({ table } as ProcessesOptions);
    const cwd = (pid: number) => processes.cwd({ pid: 1, currentApp: { pid, name: 'any' } });
    expect([1, 2, 3, 4].map(cwd)).toEqual(['/shell', '/program', null, '/shell']);
    folders.delete(1);
    expect(cwd(4)).toBeNull();
  });
});
