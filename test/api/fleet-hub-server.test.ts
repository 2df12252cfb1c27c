import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isRunning } from '#dist/command/running.js';
import { type FleetFiles, fleetFiles } from '#dist/fleet/files.js';
import { Hub } from '#dist/fleet/hub.js';
import { loadIdentity } from '#dist/fleet/identity.js';
import { FleetState } from '#dist/fleet/state.js';
import { eventually } from '../support/processes.js';

let files: FleetFiles;
let hub: Hub;

beforeEach(async () => {
  files = fleetFiles(await mkdtemp(join(tmpdir(), 'at-hub-')));
  const identity = await loadIdentity(files.identity);
  const state = await FleetState.open(files.state);
  const settings = () => ({ port: 0, listen: '127.0.0.1' });
  const logger = pino({ level: 'silent' });
  hub = new Hub({ ...{ files, state, settings, logger }, identity: () => identity, env: process.env });
  await state.enter(await hub.begin(undefined));
});
afterEach(async () => {
  await hub.stop();
  await rm(files.folder, { recursive: true });
});

/** Pid that nats-server itself has written to its file. */
const server = async () => Number(await readFile(files.pid, 'utf8'));

test.each([
  ['revived', () => hub.revive()],
  ['asked to admit machines', () => hub.reapply()],
])('a server that is %s while it is stopped does not run afterwards', async (_what, change) => {
  const first = await server();
  process.kill(first, 'SIGKILL');
  await eventually('the server has ended', () => !isRunning(first));
  const changed = change();
  await Promise.all([hub.stop(), changed]);
  await change();
  const last = await server().catch(() => first);
  expect(isRunning(last)).toBe(false);
});

test('a server that was stopped runs again once its hub is started', async () => {
  await hub.stop();
  await hub.start();
  expect(isRunning(await server())).toBe(true);
});
