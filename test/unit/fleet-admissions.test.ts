import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Right } from '../../src/contract/fleet-machines.js';
import { Admissions, type AdmissionsOptions } from '../../src/fleet/admissions.js';
import { Identity } from '../../src/fleet/identity.js';
import { guestOf, inviteIdOf } from '../../src/fleet/invites.js';
import type { FleetMessage } from '../../src/fleet/link.js';
import { seal, sha256, unchecked } from '../../src/fleet/signed.js';

const key = () => new Identity(randomBytes(32));
const [hub, laptop, other] = [key(), key(), key()];
const invited = guestOf(key().seed);
const inviteId = inviteIdOf(invited);

/** Returns the hub of a fleet on an outside server, with one invitation. */
function hubWith({
  confirmed = false,
  give = undefined as Right[] | undefined,
  grants = [] as object[],
  writes = [] as Promise<void>[],
  fails = (): boolean => false,
} = {}) {
  const replies: Record<string, unknown>[] = [];
  const admitted: string[] = [];
  const faults: unknown[] = [];
  let begun = 0;
  let usedBy: string | undefined;
  const facts = { role: 'hub', fleetId: 'f_1', hub: { isOutside: true }, machines: [], grants };
  const changes: object[] = [];
  const admissions = new Admissions({
    identity: () => hub,
    state: {
      facts,
      change: async (change: (facts: object) => object) => {
        await turn();
        if (fails()) throw new Error('no space left');
        changes.push(change(facts));
      },
    },
    invites: {
      guestKeyOf: () => invited.publicKey,
      userOf: () => usedBy,
      isOpen: () => usedBy === undefined,
      begin: async () => {
        await (writes[begun++] ?? turn());
        return { confirmed, give };
      },
      spend: turn,
      used: (changed: object, _id: string, machineId: string) => {
        usedBy = machineId;
        return changed;
      },
    },
    deviceName: () => 'hub',
    events: () => ({ emit: () => undefined }),
    apply: turn,
    onAdmitted: ({ machineId }: { machineId: string }) => {
      admitted.push(machineId);
    },
    onFault: (error: unknown) => {
      faults.push(error);
    },
  } as unknown as AdmissionsOptions);
  const link = {
    publish: (_subject: string, [reply]: readonly Uint8Array[]) => {
      replies.push(unchecked(reply!) as Record<string, unknown>);
    },
  };
  const say = (guest: Identity, content: object) => {
    const packet = seal(guest, 'join', { publicKey: guest.publicKey, ...content });
    const data = seal(invited, 'invited', { inviteId, id: 'x', packet: Buffer.from(packet).toString() });
    admissions.onJoin({ from: inviteId, data, replyTo: 'reply' } as unknown as FleetMessage, link);
  };
  const facets = { deviceName: 'lap', os: 'linux', version: '0.1.0' };
  const nonceOf = ({ machineId }: Identity) => `nonce of ${machineId}`;
  return {
    ...{ admissions, replies, admitted, changes, faults, begun: () => begun },
    hello: (guest: Identity) => say(guest, { step: 'hello', ...facets, commitment: sha256(nonceOf(guest)) }),
    reveal: (guest: Identity) => say(guest, { step: 'reveal', nonce: nonceOf(guest) }),
    ask: (guest: Identity) => say(guest, { step: 'ask' }),
  };
}

/** On an outside server, any listener can send a guest's message again while the hub still writes it down. */
test('a greeting that is sent again at once gets the same answer, so that both sides show the same words', async () => {
  const { hello, replies, begun } = hubWith();
  hello(laptop);
  hello(laptop);
  await expect.poll(() => replies.length).toBe(2);
  expect(replies[0]).toMatchObject({ state: 'hello', fleetId: 'f_1' });
  expect(replies[1]).toEqual(replies[0]);
  expect(begun()).toBe(1);
});

test('a guest is told that it is admitted once the server knows it', async () => {
  const { hello, reveal, ask, replies, admitted } = hubWith({ confirmed: true });
  for (const say of [hello, reveal, ask]) say(laptop);
  await expect.poll(() => replies.length).toBe(3);
  expect(replies.map(({ state }) => state)).toEqual(['hello', 'waiting', 'waiting']);
  await expect.poll(() => admitted).toEqual([laptop.machineId]);
  ask(laptop);
  await expect.poll(() => replies.at(-1)?.state).toBe('approved');
});

test('a machine is admitted with the rights of its invitation, by one change of the file', async () => {
  const { hello, reveal, admitted, changes } = hubWith({ confirmed: true, give: ['execute'] });
  hello(laptop);
  reveal(laptop);
  await expect.poll(() => admitted.length).toBe(1);
  const { machineId, publicKey } = laptop;
  expect(changes).toMatchObject([
    { machines: [{ machineId }], grants: [{ to: machineId, publicKey, can: ['execute'], terminals: '*' }] },
  ]);
});

/** It has left while this hub was out of reach; the other machines delete their grants as well once it joins again. */
test('a machine that joins again finds no grant from before', async () => {
  const granted = ({ machineId: to, publicKey }: Identity) => ({ to, publicKey, can: ['type'] });
  const grants = [granted(laptop), granted(other)];
  const { hello, reveal, admitted, changes } = hubWith({ confirmed: true, give: ['observe'], grants });
  hello(laptop);
  reveal(laptop);
  await expect.poll(() => admitted.length).toBe(1);
  const [changed] = changes as { grants: object[] }[];
  expect(changed!.grants).toMatchObject([granted(other), { to: laptop.machineId, can: ['observe'] }]);
  expect(changed!.grants.length).toBe(2);
});

test('an admission that fails waits for a person', async () => {
  let isFull = true;
  const { admissions, hello, reveal, faults, admitted } = hubWith({ confirmed: true, fails: () => isFull });
  hello(laptop);
  reveal(laptop);
  await expect.poll(() => faults.length).toBe(1);
  const [request] = admissions.list();
  expect(request).toMatchObject({ machineId: laptop.machineId });
  isFull = false;
  await admissions.approve(request!.id);
  expect(admitted).toEqual([laptop.machineId]);
});

test('an invitation whose machine is denied admits no other, also one that has just begun to speak', async () => {
  let write = () => {};
  const written = new Promise<void>((resolve) => {
    write = resolve;
  });
  const { admissions, hello, reveal, replies, begun } = hubWith({ writes: [turn(), written] });
  hello(laptop);
  reveal(laptop);
  await expect.poll(() => replies.length).toBe(2);
  const [request] = admissions.list();
  hello(other);
  await expect.poll(begun).toBe(2);
  await admissions.deny(request!.id);
  write();
  reveal(other);
  await expect.poll(() => replies.length).toBe(4);
  expect(replies.slice(2).map(({ state }) => state)).toEqual(['ended', 'ended']);
  expect(admissions.list()).toEqual([]);
});

test('one invitation admits one machine, however close a second one comes', async () => {
  const { hello, reveal, ask, replies, admitted } = hubWith({ confirmed: true });
  hello(laptop);
  reveal(laptop);
  hello(other);
  reveal(other);
  await expect.poll(() => replies.length).toBe(4);
  await expect.poll(() => admitted.length).toBe(1);
  for (const guest of [laptop, other]) ask(guest);
  await expect.poll(() => replies.length).toBe(6);
  expect(
    replies
      .slice(4)
      .map(({ state }) => state)
      .sort(),
  ).toEqual(['approved', 'ended']);
  expect(admitted.length).toBe(1);
});
