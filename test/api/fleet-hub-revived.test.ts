import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { connected, makeHub, startMachine } from '../support/fleet.js';
import { serverOf } from '../support/fleet-cut.js';

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
