import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually, processInfo } from '../support/processes.js';
import { Rig } from './pty-host-rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start({ callDeadlineMs: 20_000 });
  const first = await rig.run('printf warm', { tmux: true });
  await first.sink.end();
});
afterEach(() => rig.end());

/** Each program ignores its hangup, and writes its process id into a file of its own. */
const SCRIPT = `trap '' HUP; echo "$$" >"pid-$$"; exec sleep 1000`;

/** Process ids of the programs that were started and still run. */
function running(): number[] {
  const files = readdirSync(rig.folder).filter((name) => name.startsWith('pid-'));
  const pids = files.map((name) => Number(readFileSync(join(rig.folder, name), 'utf8')));
  return pids.filter((pid) => pid > 0 && processInfo(pid) !== undefined);
}

test('programs that tmux starts only once they are given up are ended, also if they ignore their hangup', async () => {
  const requests = Array.from({ length: 16 }, () => rig.program('/bin/sh', ['-c', SCRIPT], { tmux: true }));
  const { serverPid } = rig.tmux;
  process.kill(serverPid, 'SIGSTOP');
  let again: Promise<{ handle: number; pid: number }>;
  try {
    const starts = requests.map((request) => rig.host.spawn(request).catch((error: unknown) => error));
    for (const told of await Promise.all(starts)) expect(told).toMatchObject({ code: 'outcome-unknown' });
    again = rig.host.spawn(requests[0]!);
  } finally {
    process.kill(serverPid, 'SIGCONT');
  }
  const { handle, pid } = await again;
  expect((await rig.host.list()).map((terminal) => terminal.handle)).toContain(handle);
  // By now tmux has done all that it was told before. The hub and this terminal are left.
  await eventually('the windows of the others are closed', () => rig.tmux.sessions.length === 2);
  await eventually('only this program is left', () => running().every((each) => each === pid));
  expect(processInfo(pid)).toBeDefined();
});

test('a start that was given up twice gets its name once tmux goes on', async () => {
  const request = rig.program('/bin/sh', ['-c', SCRIPT], { tmux: true });
  const { serverPid } = rig.tmux;
  process.kill(serverPid, 'SIGSTOP');
  let again: Promise<{ pid: number }>;
  try {
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(rig.host.spawn(request)).rejects.toMatchObject({ code: 'outcome-unknown' });
    again = rig.host.spawn(request);
  } finally {
    process.kill(serverPid, 'SIGCONT');
  }
  const { pid } = await again;
  await eventually('only this program is left', () => running().join() === String(pid));
});
