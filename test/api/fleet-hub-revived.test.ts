import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning } from '#dist/command/running.js';
import { connected, makeHub, startMachine } from '../support/fleet.js';
import { serverOf } from '../support/fleet-cut.js';
import { eventually, hostPidOf } from '../support/processes.js';

test('a server that dies just after the next service has adopted it is started again', async () => {
  let hub = await startMachine();
  onTestFinished(() => hub.service.stop());
  await makeHub(hub);
  const before = await serverOf(hub);
  const { home } = hub.service;
  await hub.service.kill('SIGKILL');
  const log = () => readFile(join(home, 'data/fleet/hub.log'), 'utf8');
  const { length } = await log();
  const starting = startMachine(home);
  // The link of the new service has not reached the server yet.
  while (!(await log()).slice(length).includes('Reloaded server configuration')) await setImmediate();
  process.kill(before, 'SIGKILL');
  hub = await starting;
  await connected(hub);
  expect(await serverOf(hub)).not.toBe(before);
});

test('a service whose hub cannot be stopped closes its terminals, and ends', async () => {
  const hub = await startMachine();
  const { service, api } = hub;
  onTestFinished(() => service.stop());
  await makeHub(hub);
  await api.post('/api/terminals', { command: ['sleep', '100'] });
  const [hostPid, server] = [hostPidOf(service.home), await serverOf(hub)];
  // A folder in the place of the file that names the server's process.
  const started = join(service.home, 'data/fleet/hub-process.json');
  await rm(started);
  await mkdir(started);
  expect(await service.kill('SIGTERM')).toBe(0);
  await eventually('the host has ended', () => !isRunning(hostPid));
  process.kill(server, 'SIGKILL');
});
