import { afterAll, beforeAll, expect, test } from 'vitest';
import { identityOf } from '#dist/fleet/identity.js';
import { decodeOutsideInvite } from '#dist/fleet/invite-code.js';
import { guestOf, inviteIdOf } from '#dist/fleet/invites.js';
import { seal, sha256, unchecked } from '#dist/fleet/signed.js';
import * as subjects from '#dist/fleet/subjects.js';
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
import { identityIn } from '../support/fleet-wire.js';
import { freePort } from '../support/free-port.js';
import { NatsServer, nkeyUser, removeFolder, testFolder, usersOf } from '../support/nats-server.js';
import { Stranger } from '../support/outside-stranger.js';
import { eventually } from '../support/processes.js';

/** A server with a stranger that hears every message, sends under any name, and repeats what it has heard. */
let folder: string;
let server: NatsServer;
let stranger: Stranger;
let hub: FleetMachine;
let laptop: FleetMachine;

beforeAll(async () => {
  folder = await testFolder();
  const users = await Promise.all(['one', 'two', 'three'].map((name) => nkeyUser(folder, name)));
  const port = await freePort();
  const url = `nats://127.0.0.1:${port}`;
  server = await NatsServer.start(folder, port, usersOf(users));
  stranger = await Stranger.at(port, users[2]!);
  [hub, laptop] = await Promise.all([
    startMachine(undefined, { url, credentials: users[0]!.file }),
    startMachine(undefined, { url, credentials: users[1]!.file }),
  ]);
  await makeHub(hub, {});
});
afterAll(async () => {
  await stranger?.close();
  await Promise.all([hub, laptop].map((each) => each?.service.stop()));
  await server?.stop();
  await removeFolder(folder);
});

const forger = identityOf(Buffer.from('forger'), 'x');

test('nobody joins without the secret, and what was recorded disturbs no conversation', async () => {
  const { code } = await invite(hub);
  const inviteId = inviteIdOf(guestOf(decodeOutsideInvite(code)!.secret));
  const subject = subjects.join(inviteId);
  const inbox = `${subjects.guestInbox(inviteId)}.x`;
  const replies = stranger.collect(inbox);
  const { publicKey } = forger;
  const facts = { deviceName: 'x', os: 'linux', version: '0.1.0', commitment: sha256('n') };
  const hello = seal(forger, 'join', { step: 'hello', publicKey, ...facts });
  const wrapped = seal(forger, 'invited', { inviteId, id: 'x', packet: Buffer.from(hello).toString() });
  // Six tries are more than an invitation allows.
  for (let tries = 0; tries < 6; tries++)
    for (const packet of [hello, wrapped]) stranger.wire.publish(subject, packet, { reply: inbox });

  // Repeats at once each message of the laptop and each reply of the hub.
  const replay = stranger.repeat(() =>
    stranger.subjects().flatMap((each) => {
      const isOf = each === subject || each.startsWith(`${subjects.guestInbox(inviteId)}.`);
      return isOf ? stranger.heard(each).map((data) => [each, data] as [string, Uint8Array]) : [];
    }),
  );
  const { request } = await ask(hub, laptop, code);
  expect((await hub.api.post(`/api/fleet/requests/${request.id}/approve`)).status).toBe(200);
  laptop.id = (await connected(laptop)).machineId!;
  replay();
  expect(laptop.id).toBe(request.machineId);
  await online(hub, laptop.id);
  await online(laptop, hub.id);
  expect(replies).toEqual([]);
  expect((await machines(hub)).length).toBe(2);
});

test('requests, questions and farewells of others are neither taken nor answered', async () => {
  await grant(hub, laptop, { can: ['observe', 'execute', 'create'] });
  const inbox = `${subjects.inbox(laptop.id)}.x`;
  const [replies, elsewhere] = [stranger.collect(inbox), stranger.collect('elsewhere')];
  const at = Date.now();
  const call = {
    id: 'A'.repeat(22),
    from: laptop.id,
    to: hub.id,
    epoch: 'x',
    at,
    method: 'GET',
    url: '/api/terminals',
  };
  const asked = stranger.heard(subjects.request(hub.id, laptop.id, 'directory'));
  expect(asked.length).toBeGreaterThan(0);
  for (const [what, data] of [
    ['call', seal(forger, 'call', call)],
    ['directory', new Uint8Array()],
    ['directory', seal(forger, 'ask', { ...(unchecked(asked[0]!) as object), publicKey: forger.publicKey })],
    ['leave', new Uint8Array()],
    ['leave', Buffer.from('{}')],
    ['leave', seal(forger, 'leave', unchecked(stranger.heard(subjects.heartbeat(laptop.id))[0]!) as object)],
  ] as const)
    stranger.wire.publish(subjects.request(hub.id, laptop.id, what), data, { reply: inbox });
  // A request that asks for its answer at another subject gets no answer.
  stranger.wire.publish(subjects.request(hub.id, laptop.id, 'directory'), asked[0]!, { reply: 'elsewhere' });
  await stranger.wire.flush();
  // The hub handles messages in order: any answer to the requests above would come before this answer.
  expect((await laptop.api.get(`/api/machines/${hub.id}/terminals`)).status).toBe(200);
  await stranger.wire.flush();
  expect([replies, elsewhere]).toEqual([[], []]);
  expect((await machines(hub)).map(({ machineId }) => machineId)).toContain(laptop.id);
});

test('a farewell that was recorded removes nobody who is back', async () => {
  expect((await laptop.api.post('/api/fleet/leave')).status).toBe(200);
  await eventually('left', async () =>
    (await machines(hub)).every(({ machineId }) => machineId !== laptop.id),
  );
  await pair(hub, laptop);
  const subject = subjects.request(hub.id, laptop.id, 'leave');
  expect(stranger.heard(subject).length).toBe(1);
  stranger.wire.publish(subject, stranger.heard(subject)[0]!, { reply: `${subjects.inbox(laptop.id)}.x` });
  await stranger.wire.flush();
  expect((await laptop.api.get(`/api/machines/${hub.id}/terminals`)).status).toBe(403);
  expect((await machines(hub)).map(({ machineId }) => machineId)).toContain(laptop.id);
});

test('the directory is the word of the hub alone, each once', async () => {
  const before = await machines(laptop);
  const changes = (removed: string[], named: object[] = []) => ({ isWhole: false, machines: named, removed });
  const entry = {
    epoch: 'e',
    link: 1,
    deviceName: 'forged',
    os: 'linux',
    version: '9',
    terminals: 99,
    online: true,
  };
  const { machineId, publicKey } = forger;
  const named = [
    { ...entry, machineId, publicKey, lastSeenAt: 1 },
    { ...entry, machineId: hub.id, publicKey: (await identityIn(hub)).publicKey, lastSeenAt: 1 },
  ];
  const recorded = stranger.heard(subjects.DIRECTORY);
  const { fleet, hub: start, n } = Stranger.statement(recorded.at(-1)!);
  const forged = { fleet, hub: start, n: n + 1_000, content: changes([hub.id, laptop.id], named) };
  for (const data of [
    Buffer.from(JSON.stringify(changes([hub.id, laptop.id], named))),
    seal(forger, 'directory', forged),
    // The laptop has left and come back since: these messages would remove it again.
    ...recorded,
  ])
    stranger.wire.publish(subjects.DIRECTORY, data);
  await stranger.wire.flush();
  const { length } = stranger.heard(subjects.DIRECTORY);
  await eventually('a word of the hub', async () => stranger.heard(subjects.DIRECTORY).length > length + 1);
  expect((await machines(laptop)).map(({ machineId: id, deviceName }) => [id, deviceName])).toEqual(
    before.map(({ machineId: id, deviceName }) => [id, deviceName]),
  );
  expect(await statusOf(laptop)).toMatchObject({ link: 'connected', reason: null });
});

test('nobody else can say that a machine has not got a request', async () => {
  await grant(laptop, hub, { can: ['observe', 'type', 'execute', 'create'] });
  const { id } = (await laptop.api.post<{ id: string }>('/api/terminals', {})).body;
  const end = stranger.denyListeners(laptop.id);
  const path = `/api/machines/${laptop.id}/fleet/execute`;
  const ran = await hub.api.post(path, { terminalId: id, command: 'echo a-run' });
  expect(ran).toMatchObject({ status: 200, body: { exitCode: 0 } });
  // The stopped laptop gets nothing, but the stranger's report of that counts for nothing.
  process.kill(laptop.service.pid, 'SIGSTOP');
  const lost = await hub.api.post(path, { terminalId: id, command: 'echo another' });
  process.kill(laptop.service.pid, 'SIGCONT');
  end();
  expect(lost).toMatchObject({ status: 503, body: { code: 'fleet-outcome-unknown' } });
});

test('heartbeats that are forged or said again keep no machine alive, and change no card', async () => {
  const beat = { epoch: 'e', link: 9, deviceName: 'forged', os: 'windows', version: '9', terminals: 99 };
  await online(hub, laptop.id);
  const subject = subjects.heartbeat(laptop.id);
  const { fleet, hub: start, n, from } = Stranger.statement(stranger.heard(subject).at(-1)!);
  const forged = seal(forger, 'beat', { fleet, hub: start, from, n: n + 1_000, content: beat });
  const recorded = [...stranger.heard(subject)];
  const { home } = laptop.service;
  await laptop.service.kill('SIGKILL');
  const end = stranger.repeat(() => [
    [subject, JSON.stringify(beat)],
    [subject, forged],
    [subject, recorded.at(-1)!],
    [subject, recorded[Math.floor(recorded.length / 2)]!],
  ]);
  const gone = await online(hub, laptop.id, false, 30_000);
  expect(gone).toMatchObject({ os: 'linux', deviceName: expect.not.stringContaining('forged') });
  laptop = { ...(await startMachine(home)), id: laptop.id };
  expect(await online(hub, laptop.id)).not.toMatchObject({ terminals: 99 });
  end();
});
