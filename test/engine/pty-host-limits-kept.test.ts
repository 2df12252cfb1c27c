import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeCgroup } from '../support/fake-cgroup.js';
import { eventually, processesRunning } from '../support/processes.js';
import { Collector, isAlive, Rig, startIn } from './pty-host-rig.js';

const ENTRY = fileURLToPath(import.meta.resolve('#dist/workers/pty-host/main.js'));
const LIMITS = { memoryBytes: 512 * 1024 * 1024, pids: 50 };
const HELD = { by: 'cgroup', ...LIMITS, cpuWeight: null };

let tree: FakeCgroup;
let rig: Rig;
beforeEach(async () => {
  tree = new FakeCgroup();
  process.env.AUTO_TERMINAL_CGROUP_ROOT = tree.folder;
  rig = await Rig.start();
});
afterEach(async () => {
  delete process.env.AUTO_TERMINAL_CGROUP_ROOT;
  await rig.end();
  tree.remove();
});

/** Starts a terminal in a group, with a process that has left the terminal's session and ignores a hangup. */
async function started(seconds: string) {
  const script = `setsid sh -c 'trap "" HUP; sleep ${seconds}; :' & printf up; read line; exit 4`;
  const run = await rig.run(script, { tmux: false, limits: LIMITS });
  await run.sink.until('up', () => run.sink.text === 'up');
  await eventually('its group has it', () =>
    processesRunning(`sleep ${seconds}`).some((pid) => tree.knows(pid)),
  );
  return run;
}

test('a host that is renewed goes on with the groups', async () => {
  const [closed, ended, gone] = [await started('98751'), await started('98752'), await started('98753')];
  await rig.host.type(gone.handle, [{ data: '\r' }]);
  await gone.sink.end();
  await eventually('all count', () => tree.counts(3));
  await rig.host.renew(process.execPath, [ENTRY]);
  await rig.reconnect();
  expect((await rig.host.list()).map(({ limits }) => limits)).toEqual([HELD, HELD, HELD]);
  const sink = new Collector();
  sink.attach(rig.host, ended.handle);
  await rig.host.type(ended.handle, [{ data: '\r' }]);
  expect(await sink.end()).toMatchObject({ exitCode: 4, oomKilled: false });
  await rig.host.kill(closed.handle);
  await eventually('that group is gone', () => tree.terminals.length === 2);
  expect(processesRunning('sleep 98751')).toEqual([]);
  // Processes that a program leaves behind go on when the program ends by itself.
  for (const seconds of ['98752', '98753']) {
    const [left = 0] = processesRunning(`sleep ${seconds}`);
    expect(isAlive(left)).toBe(true);
    process.kill(left);
  }
  await eventually('no group is left', () => tree.terminals.length === 0);
});

test('the host after a killed one ends all that is in a group, and removes it', async () => {
  const run = await started('98754');
  const { hostPid } = rig.host;
  process.kill(hostPid, 'SIGKILL');
  await eventually('the host has gone', () => !isAlive(hostPid));
  // The hangup of the terminal ends only the shell.
  expect(processesRunning('sleep 98754')).toHaveLength(1);
  rig.host.close();
  rig.host = (await startIn(rig.folder)).host;
  expect(await rig.host.list()).toEqual([
    expect.objectContaining({ limits: HELD, exit: expect.objectContaining({ reason: 'host-lost' }) }),
  ]);
  await eventually('no group is left', () => tree.terminals.length === 0);
  expect([isAlive(run.pid), processesRunning('sleep 98754')]).toEqual([false, []]);
});

test('a host that ends takes all that is in its groups with it', async () => {
  await started('98755');
  const { hostPid } = rig.host;
  process.kill(hostPid, 'SIGTERM');
  await eventually('the host has gone', () => !isAlive(hostPid));
  expect(processesRunning('sleep 98755')).toEqual([]);
  await eventually('the tree has seen it', () => tree.terminals.every((name) => tree.isEmpty(name)));
});
