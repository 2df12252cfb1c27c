import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as subjects from '#dist/fleet/subjects.js';
import { DEADLINE_MS } from '../support/deadline.js';
import { type FleetMachine, makeHub, online, pair, startMachine, statusOf } from '../support/fleet.js';
import { connectAs, factsOf, identityIn } from '../support/fleet-wire.js';

/** The test speaks to the server of the hub with the key of a third machine, as a thief of that key would. */
let hub: FleetMachine;
let laptop: FleetMachine;
let thief: FleetMachine;
let wire: NatsConnection;
const errors: string[] = [];

beforeAll(async () => {
  [hub, laptop, thief] = await Promise.all([startMachine(), startMachine(), startMachine()]);
  await makeHub(hub);
  await pair(hub, laptop);
  await pair(hub, thief);
  wire = await connectAs(hub, await identityIn(thief), subjects.inbox(thief.id));
  void (async () => {
    for await (const status of wire.status())
      if (status.type === 'error') errors.push(String((status as { error: Error }).error.message));
  })();
});
afterAll(async () => {
  await wire?.close();
  await Promise.all([hub, laptop, thief].map((each) => each?.service.stop()));
});

/** Publishes under a subject that the machine has named as the inbox of a request to itself, so that it may "reply" there. */
async function replyUnder(subject: string, content: object | undefined, reply?: string): Promise<void> {
  const own = subjects.request(thief.id, thief.id, 'any');
  const asked = new Promise<void>((resolve) => {
    wire.subscribe(own, { max: 1, callback: () => resolve() });
  });
  wire.publish(own, '', { reply: subject });
  await asked;
  wire.publish(subject, content && JSON.stringify(content), { reply });
  await wire.flush();
}

test('a machine that answers itself speaks under no name but its own', async () => {
  const beat = { epoch: 'x', link: 0, deviceName: 'x', os: 'linux', version: 'x', terminals: 99 };
  await replyUnder(subjects.heartbeat(laptop.id), beat);
  const inbox = `${subjects.inbox(laptop.id)}.x`;
  await replyUnder(subjects.request(hub.id, laptop.id, 'leave'), undefined, inbox);
  await replyUnder(subjects.DIRECTORY, { isWhole: true, machines: [], removed: [laptop.id] });
  await expect.poll(() => errors.length, { timeout: DEADLINE_MS }).toBe(3);
  for (const error of errors) expect(error).toMatch(/permissions violation/i);
  await online(hub, laptop.id);
  expect((await factsOf(hub)).machines.map(({ machineId }) => machineId)).toContain(laptop.id);
  expect(await statusOf(laptop)).toMatchObject({ link: 'connected' });
});
