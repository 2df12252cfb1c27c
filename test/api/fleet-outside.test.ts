import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  ask,
  connected,
  type FleetMachine,
  grant,
  invite,
  machines,
  makeHub,
  online,
  pair,
  startMachine,
  statusOf,
} from '../support/fleet.js';
import { freePort } from '../support/free-port.js';
import { LiveWatch } from '../support/live-watch.js';
import { NatsServer, nkeyUser, removeFolder, testFolder, usersOf } from '../support/nats-server.js';
import { eventually } from '../support/processes.js';

let folder: string;
let server: NatsServer;
let url: string;
let hub: FleetMachine;
let laptop: FleetMachine;

beforeAll(async () => {
  folder = await testFolder();
  const [one, two] = await Promise.all(['one', 'two'].map((name) => nkeyUser(folder, name)));
  const port = await freePort();
  url = `nats://127.0.0.1:${port}`;
  server = await NatsServer.start(folder, port, usersOf([one!, two!]));
  [hub, laptop] = await Promise.all([
    startMachine(undefined, { url, credentials: one!.file }),
    startMachine(undefined, { url, credentials: two!.file }),
  ]);
});
afterAll(async () => {
  await Promise.all([hub, laptop].map((each) => each?.service.stop()));
  await server?.stop();
  await removeFolder(folder);
});

test('a setting that does not let it connect is said in one line, and makes no fleet', async () => {
  const { api } = hub;
  const { fleet } = (await api.get<{ fleet: { credentials: string } }>('/api/settings')).body;
  const refusal = async (settings: object, body: object = {}) => {
    await api.patch('/api/settings', { fleet: settings });
    const { status, body: answer } = await api.post<{ error: string }>('/api/fleet/init', body);
    expect([status, (await statusOf(hub)).role]).toEqual([expect.any(Number), 'none']);
    expect(answer.error).not.toContain('\n');
    return answer.error;
  };
  for (const wrong of [
    'http://x',
    'nats://user:word@x',
    'nats://x, tls://x',
    'nats://x:70000',
    'nats://x/y',
    '',
  ])
    expect((await api.patch('/api/settings', { fleet: { url: wrong } })).status, wrong).toBe(400);

  const missing = join(folder, 'missing');
  expect(await refusal({ credentials: missing })).toBe(
    `The server of fleet.url does not admit this machine: fleet.credentials: ${missing} cannot be read (ENOENT)`,
  );
  const open = join(folder, 'open.nk');
  await writeFile(open, 'x');
  await chmod(open, 0o644);
  expect(await refusal({ credentials: open })).toContain(
    `${open} is open to other users; chmod 600 closes it`,
  );
  await chmod(open, 0o600);
  expect(await refusal({ credentials: open })).toContain('holds neither a seed of a user nor credentials');
  const { file: unknown } = await nkeyUser(folder, 'unknown');
  expect(await refusal({ credentials: unknown })).toMatch(/does not admit this machine: .*authorization/i);
  expect(await refusal({ credentials: null })).toMatch(/does not admit this machine: .*authorization/i);
  const { credentials } = fleet;
  expect(await refusal({ credentials, url: 'nats://127.0.0.1:1' })).toMatch(/cannot be reached: .*refused/i);
  expect(await refusal({ url: url.replace('nats', 'tls') })).toMatch(/cannot be reached: .*tls/i);
  expect(await refusal({ url }, { address: '127.0.0.1' })).toMatch(/no address of this machine/);
});

test('machines meet at a server of others: pair, grant, run, live output', async () => {
  await makeHub(hub, {});
  const address = { address: '127.0.0.1', port: Number(url.split(':').at(-1)) };
  expect((await statusOf(hub)).hub).toEqual({ machineId: hub.id, url, ...address });
  // The hub started no server and made no certificate.
  expect((await readdir(join(hub.service.home, 'data/fleet'))).sort()).toEqual(['fleet.json', 'machine-key']);

  const { code } = await invite(hub);
  expect(code).toMatch(/^at2-/);
  await laptop.api.patch('/api/settings', { fleet: { url: null } });
  expect(await laptop.api.post('/api/fleet/join', { code })).toMatchObject({
    ...{ status: 503, body: { code: 'fleet-failed', error: expect.stringContaining(`meets at ${url}`) } },
  });
  await laptop.api.patch('/api/settings', { fleet: { url } });
  const { joining, request } = await ask(hub, laptop, code);
  expect(joining.words).toMatch(/^[a-z]+ [a-z]+ [a-z]+ [a-z]+$/);
  expect((await hub.api.post(`/api/fleet/requests/${request.id}/approve`)).status).toBe(200);
  laptop.id = (await connected(laptop)).machineId!;
  await online(hub, laptop.id);
  await online(laptop, hub.id);

  const there = `${hub.service.url}/api/machines/${laptop.id}`;
  const { id } = (await laptop.api.post<{ id: string }>('/api/terminals', { command: ['cat'] })).body;
  const list = () => hub.api.get(`/api/machines/${laptop.id}/terminals`);
  expect(await list()).toMatchObject({ status: 403, body: { code: 'not-granted', needs: 'observe' } });
  const right = await grant(laptop, hub, { can: ['observe', 'type', 'execute', 'create'] });
  expect((await list()).body).toMatchObject({ terminals: [{ id }] });
  const { body: run } = await hub.api.post(`/api/machines/${laptop.id}/fleet/execute`, {
    command: 'echo $((6*7))',
  });
  expect(run).toMatchObject({ exitCode: 0, screen: expect.stringContaining('42') });

  const far = await LiveWatch.open(there, `terminals=${id}&seq=1`);
  await hub.api.post(`/api/machines/${laptop.id}/terminals/${id}/input`, { data: 'seen\r' });
  await far.until('seen', () => far.text.includes('seen\r\nseen'));

  await server.restart();
  await online(hub, laptop.id);
  await online(laptop, hub.id);
  // Either list may date from before the restart: a machine stays online until its silence is detected.
  await eventually('the way to the laptop', async () => {
    const typed = await hub.api.post(`/api/machines/${laptop.id}/terminals/${id}/input`, { data: 'after\r' });
    if (typed.status === 200) return true;
    expect(typed.status).toBe(503);
    return false;
  });
  await far.until('after', () => far.text.includes('after\r\nafter'));
  await laptop.api.delete(`/api/fleet/grants/${right}`);
  await far.until('the end', () => far.events.find(({ type }) => type === 'stream.ended'));
  await far.close();
});

test('a service that begins anew is known again, by its machines and by the hub', async () => {
  const { home } = hub.service;
  await hub.service.kill('SIGKILL');
  // No message reports the end of the hub's connection: the laptop detects it by silence.
  await online(laptop, hub.id, false, 15_000);
  hub = { ...(await startMachine(home)), id: hub.id };
  await online(laptop, hub.id);
  await online(hub, laptop.id);
  const { home: other } = laptop.service;
  await laptop.service.kill('SIGKILL');
  laptop = { ...(await startMachine(other)), id: laptop.id };
  await online(hub, laptop.id);
  await online(laptop, hub.id);
});

test('a machine that leaves is out, and one that is removed is refused by all', async () => {
  await grant(laptop, hub, { can: ['observe'] });
  expect((await laptop.api.post('/api/fleet/leave')).status).toBe(200);
  await eventually('left', async () =>
    (await machines(hub)).every(({ machineId }) => machineId !== laptop.id),
  );
  await pair(hub, laptop);
  expect((await hub.api.delete(`/api/fleet/machines/${laptop.id}`)).status).toBe(200);
  await eventually('refused', async () => (await statusOf(laptop)).link === 'refused');
  expect((await statusOf(laptop)).reason).toMatch(/^The hub has removed this machine/);
  expect((await laptop.api.get(`/api/machines/${hub.id}/terminals`)).status).toBe(503);
  // The laptop is also refused after a restart, when it has to ask the hub.
  const { home } = laptop.service;
  await laptop.service.kill('SIGKILL');
  laptop = { ...(await startMachine(home)), id: laptop.id };
  await eventually('refused', async () => (await statusOf(laptop)).link === 'refused');
  expect((await laptop.api.post('/api/fleet/leave')).status).toBe(200);
  await pair(hub, laptop);
  expect((await hub.api.post('/api/fleet/leave')).status).toBe(200);
  await eventually('the end', async () => (await statusOf(laptop)).link === 'refused');
});
