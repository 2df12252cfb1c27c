import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type IPty, spawn } from 'node-pty';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RESERVED_FILES } from '#dist/contract/limits.js';
import { limitProcess } from '../support/limit-process.js';
import { eventually, openFiles } from '../support/processes.js';
import { Rig } from './pty-host-rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
  const first = await rig.run('printf warm', { tmux: true });
  await first.sink.end();
});
afterEach(() => rig.end());

const hasRun = () => existsSync(join(rig.folder, 'ran'));

test.each([
  ['', false],
  [', even where another program has its terminal by then', true],
])(
  'a program that ends its own group at once is not said not to have been started%s',
  async (_, isReused) => {
    const { hostPid } = rig.host;
    const { serverPid } = rig.tmux;
    process.kill(serverPid, 'SIGSTOP');
    const spawned = rig.spawn('/bin/sh', ['-c', 'tty >ran; kill -9 0'], { tmux: true });
    const told = expect(spawned).rejects.toMatchObject({ code: 'outcome-unknown' });
    // After two answers of its own the host has told tmux, whose answer it gets only after the program's end.
    for (let turn = 0; turn < 2; turn += 1) await rig.host.list();
    process.kill(hostPid, 'SIGSTOP');
    process.kill(serverPid, 'SIGCONT');
    let others: IPty[] = [];
    try {
      await eventually('it has run', hasRun);
      await eventually('its window is closed', () => rig.tmux.sessions.length === 1);
      if (isReused) others = startIn(readFileSync(join(rig.folder, 'ran'), 'utf8').trim());
    } finally {
      process.kill(hostPid, 'SIGCONT');
    }
    await told;
    for (const other of others) other.kill();
  },
);

/** Starts programs until one of them has the terminal of that name. */
function startIn(terminal: string): IPty[] {
  const started: IPty[] = [];
  while (!existsSync(terminal)) started.push(spawn('sleep', ['600'], {}));
  return started;
}

test('a program that is refused for want of files is not run', async () => {
  limitProcess(rig.host.hostPid, `--nofile=${openFiles(rig.host.hostPid) + RESERVED_FILES / 2}`);
  const { serverPid } = rig.tmux;
  // While it is stopped, tmux runs nothing.
  process.kill(serverPid, 'SIGSTOP');
  try {
    await expect(rig.spawn('/bin/sh', ['-c', 'echo ran >ran'], { tmux: true })).rejects.toMatchObject({
      code: 'spawn-failed',
      message: expect.stringContaining('cannot open more files'),
    });
  } finally {
    process.kill(serverPid, 'SIGCONT');
  }
  // Whatever tmux was told before is done once it answers.
  expect(rig.tmux.sessions).toHaveLength(1);
  expect(hasRun()).toBe(false);
});
