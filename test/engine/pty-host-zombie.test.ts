import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { eventually, processInfo } from '../support/processes.js';
import { isAlive, Rig, startIn } from './pty-host-rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
});
afterEach(() => rig.end());

/** Resolves with the pid of a process that has ended and whose parent never asks for its exit status. */
async function zombie(): Promise<number> {
  // The process ends once its parent has become a program that does not know of this child.
  const script = '(until grep -q sleep /proc/$$/comm; do :; done) & echo $!; exec sleep 1000';
  const parent = spawn('sh', ['-c', script]);
  onTestFinished(() => void parent.kill());
  const pid = await new Promise<number>((resolve) => {
    parent.stdout.once('data', (text: Buffer) => resolve(Number(text)));
  });
  await eventually('it is a zombie', () => processInfo(pid)?.state === 'Z');
  return pid;
}

function startOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]!;
}

test.runIf(process.platform === 'linux')(
  'a killed host whose parent has not asked for its exit status counts as gone',
  async () => {
    // A killed host remains a zombie in a container whose first process reaps no children.
    const pid = await zombie();
    const { pid: program } = await rig.run('trap "" HUP; while :; do sleep 1000; done', { tmux: false });
    const { hostPid } = rig.host;
    process.kill(hostPid, 'SIGKILL');
    await eventually('the host has gone', () => processInfo(hostPid) === undefined);
    rig.host.close();
    const folder = join(rig.folder, 'pty-host-terminals');
    for (const name of readdirSync(folder)) {
      const record = JSON.parse(readFileSync(join(folder, name), 'utf8')) as object;
      writeFileSync(
        join(folder, name),
        JSON.stringify({ ...record, host: { pid, startedAt: startOf(pid) } }),
      );
    }
    rig.host = (await startIn(rig.folder)).host;
    expect(await rig.host.list()).toMatchObject([{ pid: program, exit: { reason: 'host-lost' } }]);
    await eventually('its program has been ended', () => !isAlive(program));
  },
);
