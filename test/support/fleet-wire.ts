import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { FLEET_RECONNECT_MS, FLEET_REFUSALS } from '#dist/contract/limits.js';
import { HUB_NAME } from '#dist/fleet/certificate.js';
import { Identity, identityOf } from '#dist/fleet/identity.js';
import { decodeInvite } from '#dist/fleet/invite-code.js';
import { guestOf, inviteIdOf } from '#dist/fleet/invites.js';
import { nkeyOf } from '#dist/fleet/nkey.js';
import { seal, sha256, unchecked } from '#dist/fleet/signed.js';
import type { FleetFacts, OwnServer } from '#dist/fleet/state.js';
import * as subjects from '#dist/fleet/subjects.js';
import { DEADLINE_MS } from './deadline.js';
import type { FleetMachine } from './fleet.js';

/** Resolves with the facts that a hub keeps about its fleet and its own server. */
export async function factsOf({ service }: FleetMachine): Promise<FleetFacts & { hub: OwnServer }> {
  const text = await readFile(join(service.home, 'data/fleet/fleet.json'), 'utf8');
  return JSON.parse(text) as FleetFacts & { hub: OwnServer };
}

export async function identityIn({ service }: FleetMachine): Promise<Identity> {
  const text = await readFile(join(service.home, 'data/fleet/machine-key'), 'utf8');
  return new Identity(Buffer.from(text.trim(), 'base64url'));
}

/**
 * Connects to a hub with the key of an identity, or without a key. Rejects if the hub refuses repeatedly. Like a
 * machine, it does not take the first refusals for final: a server that reloads its configuration refuses any login
 * meanwhile.
 */
export async function connectAs(
  hub: FleetMachine,
  identity: Identity | undefined,
  inbox: string,
): Promise<NatsConnection> {
  for (let refusals = 0; ; ) {
    try {
      return await connectOnce(hub, identity, inbox);
    } catch (error) {
      if (++refusals === FLEET_REFUSALS) throw error;
      await delay(FLEET_RECONNECT_MS);
    }
  }
}

async function connectOnce(
  hub: FleetMachine,
  identity: Identity | undefined,
  inbox: string,
): Promise<NatsConnection> {
  const { host, port, certificate } = (await factsOf(hub)).hub;
  return connect({
    servers: `${host}:${port}`,
    inboxPrefix: inbox,
    reconnect: false,
    tls: { ca: certificate, servername: HUB_NAME } as NonNullable<NodeConnectionOptions['tls']>,
    ...(identity && {
      authenticator: (nonce?: string) => ({
        nkey: nkeyOf(identity.publicKey),
        sig: identity.sign(Buffer.from(nonce ?? '')),
      }),
    }),
  });
}

/** Returns a client of the hub that uses the key of an invitation. */
export async function guestAt(hub: FleetMachine, code: string) {
  const guest = guestOf(decodeInvite(code).secret);
  const inviteId = inviteIdOf(guest);
  const connection = await connectAs(hub, guest, subjects.guestInbox(inviteId));
  const me = identityOf(randomBytes(10), 'me');
  const { publicKey } = me;
  const say = async (message: object) => {
    const packet = seal(me, 'join', { publicKey, ...message });
    const reply = await connection.request(subjects.join(inviteId), packet, { timeout: DEADLINE_MS });
    return (unchecked(reply.data) as { state: string }).state;
  };
  const nonce = 'a nonce';
  const facts = { deviceName: 'x', os: 'linux', version: '0.1.0' };
  const hello = () => say({ step: 'hello', ...facts, commitment: sha256(nonce) });
  return { say, hello, nonce, close: () => connection.close() };
}
