import { afterAll, beforeAll, expect, test } from 'vitest';
import { AutoTerminal } from '#dist/client/index.js';
import type { FleetTerminal } from '#dist/contract/fleet.js';
import type { ReachedMachine } from '#dist/contract/fleet-machines.js';
import { type FleetMachine, grant, makeHub, online, pair, startMachine } from '../support/fleet.js';
import { throughWire, type Wire } from '../support/fleet-cut.js';
import { eventually } from '../support/processes.js';

let hub: FleetMachine;
let laptop: FleetMachine;
let wire: Wire;

beforeAll(async () => {
  [hub, laptop] = await Promise.all([startMachine(), startMachine()]);
  await makeHub(hub);
});
afterAll(async () => {
  await wire?.close();
  await Promise.all([hub, laptop].map((each) => each?.service.stop()));
});

test('machines that join, go and come back are events and listed with their last terminals', async () => {
  const client = AutoTerminal.connect({ url: hub.service.url, env: {} });
  const seen: { type: string; machineId: unknown }[] = [];
  const ended = new AbortController();
  let isReady = () => {};
  const ready = new Promise<void>((resolve) => {
    isReady = resolve;
  });
  const following = (async () => {
    const events = client.events({ types: ['machine.*'], signal: ended.signal, onReady: isReady });
    for await (const event of events)
      if ('data' in event) seen.push({ type: event.type, machineId: event.data.machineId });
  })().catch((error: unknown) => {
    if (!ended.signal.aborted) throw error;
  });
  await ready;
  await pair(hub, laptop);
  const machineId = laptop.id;
  const told = (...types: string[]) =>
    eventually(types.join(), async () => seen.length >= types.length && seen.splice(0, types.length)).then(
      (events) => expect(events).toEqual(types.map((type) => ({ type, machineId }))),
    );
  await told('machine.joined', 'machine.online');
  await grant(laptop, hub, { can: ['observe'] });
  ({ machine: laptop, wire } = await throughWire(hub, laptop));
  await told('machine.offline', 'machine.online');

  const { id } = (await laptop.api.post<{ id: string }>('/api/terminals', { name: 'far' })).body;
  const terminals = async () =>
    (await hub.api.get<{ terminals: FleetTerminal[] }>('/api/fleet/terminals')).body.terminals;
  const reached = async () =>
    (await hub.api.get<{ machines: ReachedMachine[] }>('/api/machines')).body.machines.find(
      (each) => each.machineId === machineId,
    );
  const far = { id, title: 'far', machineId, running: true };
  expect(await terminals()).toMatchObject([far]);
  expect(await reached()).toMatchObject({
    ...{ online: true, version: expect.any(String), lastSeenAt: expect.any(Number) },
    rights: [{ can: ['observe'], terminals: '*', until: null }],
  });

  const began = performance.now();
  wire.cut();
  await told('machine.offline');
  expect(performance.now() - began).toBeLessThan(3_000);
  const gone = await reached();
  expect(gone).toMatchObject({ online: false, lastSeenAt: expect.any(Number) });
  expect(gone).not.toHaveProperty('rights');
  expect(await terminals()).toMatchObject([{ ...far, seenAt: expect.any(Number) }]);
  expect(await hub.api.get(`/api/machines/${machineId}/terminals`)).toMatchObject({
    status: 503,
    body: { error: 'machine unreachable', code: 'machine-unreachable', lastSeenAt: gone?.lastSeenAt },
  });
  await laptop.api.post('/api/terminals', { name: 'meanwhile' });
  expect(await online(laptop, hub.id, false)).toBeDefined();
  wire.mend();
  await told('machine.online');
  expect((await terminals()).map(({ title }) => title).sort()).toEqual(['far', 'meanwhile']);

  await hub.api.delete(`/api/fleet/machines/${machineId}`);
  await told('machine.left');
  ended.abort();
  await following;
  client.close();
});
