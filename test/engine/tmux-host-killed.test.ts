import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, test } from 'vitest';
import { eventually, processesRunning, processesWith } from '../support/processes.js';
import { Rig } from './pty-host-rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
});
afterEach(() => rig.end());

/** Kills the host, and resolves once its tmux server, the server's client and this program have gone. */
async function killHost(program: string): Promise<void> {
  const { hostPid } = rig.host;
  process.kill(hostPid, 'SIGKILL');
  const ofTmux = () => processesWith(`-s auto-terminal-host-${hostPid} `);
  await eventually('tmux has gone', () => ofTmux().length === 0);
  await eventually('the program has gone', () => processesRunning(program).length === 0);
  const watches = () => processesWith(`auto-terminal-watch ${rig.folder}`);
  await eventually('so has the watch', () => watches().length === 0);
}

test.for(Array.from({ length: 16 }, (_, index) => index * 12))(
  'a host that is killed %i ms after its tmux has begun to start leaves nothing of it',
  async (ms) => {
    const { hostPid } = rig.host;
    const program = `sleep ${5_000_000 + ms}`;
    const started = rig.run(`printf up; exec ${program}`, { tmux: true }).catch(() => null);
    const client = () => processesWith(`-s auto-terminal-host-${hostPid} `);
    await eventually('the client runs', () => client().length > 0);
    await delay(ms);
    await killHost(program);
    await started;
  },
);

test('a host that is killed while programs print leaves nothing of its tmux', async () => {
  const program = 'yes a line of a flood';
  const { sink } = await rig.run(`exec ${program}`, { tmux: true });
  await sink.until('output', () => sink.text.length > 100_000);
  await killHost(program);
});
