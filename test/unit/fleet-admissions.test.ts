import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Admissions, type AdmissionsOptions } from '../../src/fleet/admissions.js';
import { Identity } from '../../src/fleet/identity.js';
import { guestOf, inviteIdOf } from '../../src/fleet/invites.js';
import type { FleetMessage } from '../../src/fleet/link.js';
import { seal, sha256, unchecked } from '../../src/fleet/signed.js';

/** On a server of others whoever listens can send again what a guest says, while the hub still writes it down. */
test('a greeting that is sent again at once gets the same answer, so that both sides show the same words', async () => {
  const [hub, laptop, guest] = [1, 2, 3].map(() => new Identity(randomBytes(32))) as [
    Identity,
    Identity,
    Identity,
  ];
  const invited = guestOf(guest.seed);
  const inviteId = inviteIdOf(invited);
  const begun: string[] = [];
  const admissions = new Admissions({
    identity: () => hub,
    state: { facts: { role: 'hub', fleetId: 'f_1', hub: { isOutside: true } } },
    invites: {
      guestKeyOf: () => invited.publicKey,
      userOf: () => undefined,
      isOpen: () => true,
      begin: async (id: string) => {
        await turn();
        begun.push(id);
        return { confirmed: false };
      },
    },
    deviceName: () => 'hub',
    events: () => ({ emit: () => undefined }),
    onFault: (error: unknown) => {
      throw error;
    },
  } as unknown as AdmissionsOptions);
  const facts = { deviceName: 'lap', os: 'linux', version: '0.1.0', commitment: sha256('nonce') };
  const hello = seal(laptop, 'join', { step: 'hello', publicKey: laptop.publicKey, ...facts });
  const data = seal(invited, 'invited', { inviteId, id: 'x', packet: Buffer.from(hello).toString() });
  const replies: unknown[] = [];
  const link = {
    publish: (_subject: string, [reply]: readonly Uint8Array[]) => {
      replies.push(unchecked(reply!));
    },
  };
  const message = { from: inviteId, data, replyTo: 'reply' } as unknown as FleetMessage;
  admissions.onJoin(message, link);
  admissions.onJoin(message, link);
  await expect.poll(() => replies.length).toBe(2);
  expect(replies[0]).toMatchObject({ state: 'hello', fleetId: 'f_1' });
  expect(replies[1]).toEqual(replies[0]);
  expect(begun).toEqual([inviteId]);
});
