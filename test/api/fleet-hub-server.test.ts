import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isRunning } from '#dist/command/running.js';
import { type FleetFiles, fleetFiles } from '#dist/fleet/files.js';
import { Hub } from '#dist/fleet/hub.js';
import { loadIdentity } from '#dist/fleet/identity.js';
import { FleetState } from '#dist/fleet/state.js';
import { DEADLINE_MS } from '../support/deadline.js';
import { eventually } from '../support/processes.js';

let files: FleetFiles;
let hub: Hub;
let at: { port: number; listen: string; serverPath?: string };
let state: FleetState;

beforeEach(async () => {
  at = { port: 0, listen: '127.0.0.1' };
  files = fleetFiles(await mkdtemp(join(tmpdir(), 'at-hub-')));
  const identity = await loadIdentity(files.identity);
  state = await FleetState.open(files.state);
  const logger = pino({ level: 'silent' });
  hub = new Hub({
    ...{ files, state, logger },
    settings: () => at,
    identity: () => identity,
    env: process.env,
  });
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

/** Otherwise a machine that is removed while that fails stays connected until something else changes. */
test('a server that could not be told whom to admit is told once that works', async () => {
  at.serverPath = '/nowhere/nats-server';
  await state.change((facts) => ({ ...facts, fleetId: 'f_changed' }));
  await expect(hub.reapply()).rejects.toMatchObject({ code: 'no-nats-server' });
  delete at.serverPath;
  const config = () => readFile(files.config, 'utf8');
  await eventually('another try', async () => (await config()).includes('f_changed'));
});

/** The server writes a line for each message that a machine may not send, and keeps all of its logs. */
test('of the logs of a server the last ones are kept', async () => {
  const logs = Array.from({ length: 9 }, (_, second) => `hub.log.2026.12.01.00.31.0${second}.1`);
  for (const log of logs) await writeFile(join(files.folder, log), '');
  const kept = async () => (await readdir(files.folder)).filter((name) => name.startsWith('hub.log')).sort();
  const last = ['hub.log', ...logs.slice(-2)];
  await expect.poll(kept, { timeout: DEADLINE_MS }).toEqual(last);
});

test('a server that was stopped runs again once its hub is started', async () => {
  await hub.stop();
  await hub.start();
  expect(isRunning(await server())).toBe(true);
});

test('a hub on any free port gets one that no outgoing connection can take while its server is away', async () => {
  await hub.stop();
  const { hub: server } = await hub.begin(undefined);
  expect(server).toMatchObject({ port: expect.any(Number) });
  expect('port' in server && server.port).toBeLessThan(32_768);
});

test('a hub says that its port is in use, and names an address that this machine has not', async () => {
  await hub.stop();
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  at = { port, listen: '127.0.0.1' };
  await expect(hub.begin(undefined)).rejects.toThrow(
    `Port ${port} of 127.0.0.1 is in use: another program listens there`,
  );
  listener.close();
  for (const unused of [port, 0]) {
    at = { port: unused, listen: '192.0.2.1' };
    await expect(hub.begin(undefined)).rejects.toThrow(
      /^Cannot listen on port \d+ of 192\.0\.2\.1: .*EADDRNOTAVAIL/,
    );
  }
});
