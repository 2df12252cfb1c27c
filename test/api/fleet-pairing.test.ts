import { afterAll, beforeAll, expect, test } from 'vitest';
import { AutoTerminal } from '#dist/client/index.js';
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

let hub: FleetMachine;
let laptop: FleetMachine;
let other: FleetMachine;

beforeAll(async () => {
  [hub, laptop, other] = await Promise.all([startMachine(), startMachine(), startMachine()]);
});
afterAll(() => Promise.all([hub, laptop, other].map((each) => each?.service.stop())));

/** Follows the join events. Returns a function that resolves with the events up to an answer, which ends the stream. */
async function joinEvents({ service }: FleetMachine) {
  const client = AutoTerminal.connect({ url: service.url, env: {} });
  let isReady = () => {};
  const ready = new Promise<void>((resolve) => {
    isReady = resolve;
  });
  const told = (async () => {
    const seen: unknown[] = [];
    for await (const event of client.events({ types: ['join.*'], onReady: isReady })) {
      if (!('data' in event)) continue;
      seen.push([event.type, event.data]);
      if (event.type === 'join.answered') break;
    }
    client.close();
    return seen;
  })();
  await ready;
  return () => told;
}

test('a machine is in no fleet until somebody makes one', async () => {
  expect(await statusOf(hub)).toEqual({
    ...{ role: 'none', machineId: null, fleetId: null, hub: null },
    ...{ link: 'off', reason: null, joining: null },
  });
  expect(await hub.api.post('/api/fleet/invites', {})).toMatchObject({
    status: 409,
    body: { code: 'no-fleet' },
  });
  expect(await hub.api.get('/api/machines/m_x/terminals')).toMatchObject({ status: 501 });
});

test('two machines pair with the same four words on both, and list each other', async () => {
  await makeHub(hub);
  const told = await joinEvents(hub);
  const { code } = await invite(hub, { as: 'lap' });
  const { joining, request } = await ask(hub, laptop, code);
  expect(joining.words).toMatch(/^[a-z]+ [a-z]+ [a-z]+ [a-z]+$/);
  expect(request).toMatchObject({ deviceName: 'lap', os: 'linux' });
  expect(await statusOf(laptop)).toMatchObject({ role: 'none', joining: { state: 'waiting' } });
  expect((await hub.api.post(`/api/fleet/requests/${request.id}/approve`)).status).toBe(200);
  expect(await told()).toEqual([
    ['join.asked', request],
    ['join.answered', { id: request.id, machineId: request.machineId, decision: 'approved' }],
  ]);
  laptop.id = (await connected(laptop)).machineId!;
  expect(laptop.id).toBe(request.machineId);
  expect(await online(hub, laptop.id)).toMatchObject({ deviceName: 'lap', self: false, terminals: 0 });
  expect(await online(laptop, hub.id)).toMatchObject({ online: true });
  expect((await hub.api.get('/api/fleet/requests')).body).toEqual({ requests: [], uses: [] });
});

test('an invitation admits one machine only', async () => {
  const { code } = await invite(hub);
  const { request } = await ask(hub, other, code);
  await hub.api.post(`/api/fleet/requests/${request.id}/approve`);
  await connected(other);
  other.id = (await statusOf(other)).machineId!;
  await online(hub, other.id);
  await online(laptop, other.id);
  expect((await other.api.post('/api/fleet/leave')).status).toBe(200);
  await expect
    .poll(async () => (await machines(hub)).some(({ machineId }) => machineId === other.id))
    .toBe(false);
  const again = await other.api.post('/api/fleet/join', { code });
  expect(again).toMatchObject({ status: 403, body: { code: 'invite-refused' } });
});

test('whoever is denied joins nothing', async () => {
  const told = await joinEvents(hub);
  const { code } = await invite(hub);
  const { request } = await ask(hub, other, code);
  expect((await hub.api.post(`/api/fleet/requests/${request.id}/deny`)).status).toBe(200);
  expect((await told()).at(-1)).toEqual([
    'join.answered',
    { id: request.id, machineId: request.machineId, decision: 'denied' },
  ]);
  await expect.poll(async () => (await statusOf(other)).joining?.state).toBe('denied');
  expect(await hub.api.post(`/api/fleet/requests/${request.id}/approve`)).toMatchObject({ status: 404 });
  expect(await other.api.post('/api/fleet/join', { code })).toMatchObject({ status: 403 });
  expect(await statusOf(other)).toMatchObject({ role: 'none', link: 'off' });
});

test('a hub whose service does not answer is not said to refuse the invitation, which still holds', async () => {
  const { code } = await invite(hub);
  process.kill(hub.service.pid, 'SIGSTOP');
  try {
    expect(await other.api.post('/api/fleet/join', { code })).toMatchObject({
      ...{ status: 503, body: { code: 'hub-unreachable' } },
    });
  } finally {
    process.kill(hub.service.pid, 'SIGCONT');
  }
  await connected(hub);
  const { request } = await ask(hub, other, code);
  expect((await hub.api.post(`/api/fleet/requests/${request.id}/deny`)).status).toBe(200);
  await expect.poll(async () => (await statusOf(other)).joining?.state).toBe('denied');
});

test('a machine that leaves or is removed is out', async () => {
  await pair(hub, other, { confirmed: false });
  expect((await machines(laptop)).map(({ machineId }) => machineId)).toContain(other.id);
  await grant(laptop, other, { can: ['observe'] });
  expect((await hub.api.delete(`/api/fleet/machines/${other.id}`)).status).toBe(200);
  await expect.poll(async () => (await statusOf(other)).link).toBe('refused');
  await expect
    .poll(async () => (await machines(laptop)).some(({ machineId }) => machineId === other.id))
    .toBe(false);
  // Else they would come into force again when it joins again.
  await expect
    .poll(async () => (await laptop.api.get<{ grants: object[] }>('/api/fleet/grants')).body.grants)
    .toEqual([]);
  expect((await other.api.post('/api/fleet/leave')).status).toBe(200);
  expect(await statusOf(other)).toMatchObject({ role: 'none', hub: null });
});

test('machines are told that their hub has ended the fleet', async () => {
  await online(laptop, hub.id);
  expect((await hub.api.post('/api/fleet/leave')).status).toBe(200);
  await expect.poll(async () => (await statusOf(laptop)).link).toBe('refused');
  expect((await statusOf(laptop)).reason).toContain('has ended the fleet');
});
