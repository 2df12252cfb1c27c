import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { LinuxProcesses } from '#dist/actors/processes/linux.js';
import { procFiles } from '#dist/actors/processes/proc-files.js';
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

describe('the working directory of a process', () => {
  test('is read from the link of the process; a removed one is not reported', () => {
    const cwd = (target: string | null) => new LinuxProcesses({ ...fakeProc([]), link: () => target }).cwd(7);
    expect(cwd('/home/ada')).toBe('/home/ada');
    expect(cwd('/home/ada (deleted)')).toBeNull();
    expect(cwd(null)).toBeNull();
  });
});
