import { randomBytes } from 'node:crypto';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Channel, channelOf } from '#dist/fleet/channel.js';
import { type Identity, identityOf } from '#dist/fleet/identity.js';
import { decodeInvite, encodeInvite } from '#dist/fleet/invite-code.js';
import { guestOf, inviteIdOf } from '#dist/fleet/invites.js';
import { AgreementKey } from '#dist/fleet/key-agreement.js';
import { seal, unchecked, unseal } from '#dist/fleet/signed.js';
import * as subjects from '#dist/fleet/subjects.js';
import { DEADLINE_MS } from '../support/deadline.js';
import { type FleetMachine, grant, invite, makeHub, pair, startMachine } from '../support/fleet.js';
import { connectAs, guestAt, identityIn } from '../support/fleet-wire.js';
import { eventually } from '../support/processes.js';

/** The test speaks to the hub's service with the laptop's key and without a service, as a thief of the key would. */
let laptop: FleetMachine;
let hub: FleetMachine;
let key: Identity;
let wire: NatsConnection;
let epoch: string;

/** Timeout for a reply that must come: the library's default is a second. */
const IN_TIME = { timeout: DEADLINE_MS };

beforeAll(async () => {
  [hub, laptop] = await Promise.all([startMachine(), startMachine()]);
  await makeHub(hub);
  await pair(hub, laptop);
  await grant(hub, laptop, { can: ['observe'] });
  key = await identityIn(laptop);
  wire = await connectAs(hub, key, subjects.inbox(laptop.id));
  const directory = await wire.request(subjects.request(hub.id, laptop.id, 'directory'), '', IN_TIME);
  const { machines } = directory.json<{ machines: { machineId: string; epoch: string }[] }>();
  epoch = machines.find(({ machineId }) => machineId === hub.id)!.epoch;
});
afterAll(async () => {
  await wire?.close();
  await Promise.all([hub, laptop].map((each) => each?.service.stop()));
});

const call = (fields: object = {}) => ({
  id: randomBytes(16).toString('base64url'),
  ...{ from: laptop.id, to: hub.id, epoch, at: Date.now(), method: 'GET', url: '/api/terminals', ...fields },
});

const request = (packet: Uint8Array, options: { timeout: number }) =>
  wire.request(subjects.request(hub.id, laptop.id, 'call'), packet, options);

/** Sends a request as the laptop; resolves with the hub's first reply. */
async function send(packet: Uint8Array): Promise<{ taken: boolean; why?: string }> {
  const { data } = await request(packet, IN_TIME);
  return data.length === 0 ? { taken: true } : (unchecked(data) as { taken: boolean });
}

/** Whether the hub sends no reply to a packet for a second. */
const isIgnored = (packet: Uint8Array): Promise<boolean> =>
  request(packet, { timeout: 1_000 }).then(
    () => false,
    () => true,
  );

describe('a request', () => {
  test('is taken once: a repetition of the same bytes is refused', async () => {
    const packet = seal(key, 'call', call());
    expect(await send(packet)).toMatchObject({ taken: true });
    // A copy from any sender gets the answer that the first request may have been carried out.
    const body = { code: 'fleet-outcome-unknown' };
    expect(await send(packet)).toMatchObject({ taken: false, why: 'refused', status: 503, body });
  });

  test('for another start of the service, or of another time, is refused', async () => {
    expect(await send(seal(key, 'call', call({ epoch: 'x' })))).toMatchObject({
      taken: false,
      why: 'epoch',
      epoch,
    });
    const at = Date.now() - 3_600_000;
    expect(await send(seal(key, 'call', call({ at })))).toMatchObject({ taken: false, why: 'refused' });
  });

  test('for another machine, or in the name of another, is refused', async () => {
    expect(await send(seal(key, 'call', call({ to: laptop.id })))).toMatchObject({ taken: false });
    expect(await send(seal(key, 'call', call({ from: hub.id })))).toMatchObject({ taken: false });
  });

  test('agrees on a channel by its answer; the next is taken on that, and answered on it', async () => {
    const heads: Uint8Array[] = [];
    const listening = wire.subscribe(subjects.allAnswers(laptop.id), {
      callback: (_error, { data }) => {
        const head = unchecked(data) as { hash?: string } | undefined;
        if (head?.hash !== undefined) heads.push(data);
      },
    });
    await wire.flush();
    const mine = new AgreementKey();
    expect(await send(seal(key, 'call', call({ offer: mine.publicKey })))).toMatchObject({ taken: true });
    await expect.poll(() => heads.length).toBe(1);
    const hubKey = (await identityIn(hub)).publicKey;
    const { accept } = unseal(heads[0]!, 'answer', hubKey) as { accept: string };
    const channel = Channel.ofSender(mine, accept)!;
    expect(await send(channel.seal('call', call()))).toMatchObject({ taken: true });
    await expect.poll(() => heads.length).toBe(2);
    expect(channelOf(heads[1]!)).toBe(channel.id);
    expect(channel.unseal(heads[1]!, 'answer')).toMatchObject({ status: 200 });
    expect(await send(channel.seal('call', call({ epoch: 'x' })))).toMatchObject({
      taken: false,
      why: 'epoch',
    });
    expect(await isIgnored(channel.seal('answer', call()))).toBe(true);
    const unknown = Channel.ofSender(new AgreementKey(), new AgreementKey().publicKey)!;
    const { id, ...others } = call();
    const { data } = await request(unknown.seal('call', { id, ...others }), IN_TIME);
    expect(unseal(data, 'taken', hubKey)).toMatchObject({ taken: false, id, why: 'epoch', epoch });
    listening.unsubscribe();
  });

  test('that its sender has not signed so is not answered', async () => {
    const other = identityOf(randomBytes(10), 'other');
    expect(await isIgnored(seal(other, 'call', call()))).toBe(true);
    expect(await isIgnored(seal(key, 'answer', call()))).toBe(true);
    const changed = Buffer.from(seal(key, 'call', call()))
      .toString()
      .replace('/api/terminals', '/api/settings');
    expect(await isIgnored(Buffer.from(changed))).toBe(true);
    for (const nonsense of ['', 'x', '\n{}', `${'x'.repeat(86)}\n{}`])
      expect(await isIgnored(Buffer.from(nonsense))).toBe(true);
  });

  test('of a later release is read for what is known, and refused clearly for what is not', async () => {
    expect(await send(seal(key, 'call', call({ later: { field: 1 } })))).toMatchObject({ taken: true });
    expect(await send(seal(key, 'call', call({ url: '/api/later/route' })))).toMatchObject({
      ...{ taken: false, status: 403, body: { code: 'not-granted' } },
    });
    const reply = await wire.request(subjects.request(hub.id, laptop.id, 'later'), '', IN_TIME);
    expect(unchecked(reply.data)).toMatchObject({
      ...{ taken: false, status: 501 },
      body: { code: 'fleet-protocol', error: 'This machine does not know the operation later' },
    });
  });

  test('to a machine whose protocol this release does not speak is not sent', async () => {
    const beat = { epoch: 'later', link: 1, deviceName: 'x', os: 'linux', version: '9', terminals: 0 };
    const later = JSON.stringify({ ...beat, protocols: { min: 2, max: 3 }, extra: true });
    const path = `/api/machines/${laptop.id}/terminals`;
    // The laptop's own heartbeats come in between.
    await eventually('the refusal', async () => {
      wire.publish(subjects.heartbeat(laptop.id), later);
      const { status, body } = await hub.api.get<{ code: string }>(path);
      return status === 501 && body.code === 'fleet-protocol';
    });
    await eventually('its own protocol', async () => (await hub.api.get(path)).status === 403);
  });

  test('under the name of another machine is stopped by the hub', async () => {
    const stopped = new Promise<string>((resolve) => {
      void (async () => {
        for await (const status of wire.status())
          if (status.type === 'error') resolve(String((status as { error: Error }).error.message));
      })();
    });
    wire.publish(subjects.request(hub.id, hub.id, 'call'), seal(key, 'call', call()));
    expect(await stopped).toMatch(/permissions violation/i);
  });
});

describe('the server of the hub', () => {
  test('admits nobody without a key, nor with an unknown one', async () => {
    await expect(connectAs(hub, undefined, '_INBOX')).rejects.toThrow(/authorization violation/i);
    const stranger = identityOf(randomBytes(10), 'stranger');
    await expect(connectAs(hub, stranger, '_INBOX')).rejects.toThrow(/authorization violation/i);
  });

  test('lets a guest speak about its invitation alone', async () => {
    const { code } = await invite(hub);
    const guest = guestOf(decodeInvite(code).secret);
    const inviteId = inviteIdOf(guest);
    const connection = await connectAs(hub, guest, subjects.guestInbox(inviteId));
    const errors: string[] = [];
    const listen = (subject: string) =>
      connection.subscribe(subject, {
        callback: (error) => {
          if (error) errors.push(error.message);
        },
      });
    for (const subject of ['>', 'at1.>', subjects.DIRECTORY, subjects.allRequests(laptop.id)])
      listen(subject);
    await expect.poll(() => errors.length, IN_TIME).toBe(4);
    const subject = subjects.request(hub.id, laptop.id, 'directory');
    await expect(connection.request(subject, '', { timeout: 1_000 })).rejects.toThrow();
    await connection.close();
  });
});

describe('an invitation', () => {
  test('ends after five conversations', async () => {
    const guest = await guestAt(hub, (await invite(hub)).code);
    for (let tries = 0; tries < 5; tries++) expect(await guest.hello()).toBe('hello');
    expect(await guest.hello().catch(() => 'closed')).toMatch(/^(ended|closed)$/);
    await expect(guest.hello()).rejects.toThrow();
    await guest.close();
  });

  test('of a machine that was denied cannot be used again', async () => {
    const guest = await guestAt(hub, (await invite(hub)).code);
    await guest.hello();
    expect(await guest.say({ step: 'reveal', nonce: guest.nonce })).toBe('waiting');
    const { body } = await hub.api.get<{ requests: { id: string }[] }>('/api/fleet/requests');
    expect((await hub.api.post(`/api/fleet/requests/${body.requests[0]!.id}/deny`)).status).toBe(200);
    expect(await guest.say({ step: 'ask' })).toBe('denied');
    // The first of these requests makes the hub forget the conversation.
    for (let tries = 0; tries < 3; tries++)
      expect(await guest.hello().catch(() => 'closed')).toMatch(/^(ended|closed)$/);
    await guest.close();
  });

  test('admits nobody who breaks the commitment to its nonce', async () => {
    const guest = await guestAt(hub, (await invite(hub)).code);
    await guest.hello();
    expect(await guest.say({ step: 'reveal', nonce: 'chosen later' })).toBe('ended');
    expect(await guest.say({ step: 'reveal', nonce: guest.nonce })).toBe('ended');
    expect((await hub.api.get<{ requests: unknown[] }>('/api/fleet/requests')).body.requests).toEqual([]);
    await guest.close();
  });

  test('of another hub, or with another secret, is refused', async () => {
    const other = await startMachine();
    const invited = decodeInvite((await invite(hub)).code);
    const join = (fields: object) =>
      other.api.post('/api/fleet/join', { code: encodeInvite({ ...invited, ...fields }) });
    expect(await join({ fingerprint: randomBytes(32) })).toMatchObject({
      status: 403,
      body: { code: 'invite-refused', error: 'Another server answers at the address of the hub' },
    });
    expect(await join({ secret: randomBytes(10) })).toMatchObject({ status: 403 });
    expect(await join({ port: 1 })).toMatchObject({ status: 503, body: { code: 'hub-unreachable' } });
    expect(await other.api.post('/api/fleet/join', { code: 'x' })).toMatchObject({ status: 400 });
    await other.service.stop();
  });
});
