import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { HUB_NAME } from '#dist/fleet/certificate.js';
import { Identity } from '#dist/fleet/identity.js';
import { nkeyOf } from '#dist/fleet/nkey.js';
import type { FleetFacts, OwnServer } from '#dist/fleet/state.js';
import type { FleetMachine } from './fleet.js';

/** What a machine keeps of a fleet on the server of a hub. */
export async function factsOf({ service }: FleetMachine): Promise<FleetFacts & { hub: OwnServer }> {
  const text = await readFile(join(service.home, 'data/fleet/fleet.json'), 'utf8');
  return JSON.parse(text) as FleetFacts & { hub: OwnServer };
}

export async function identityIn({ service }: FleetMachine): Promise<Identity> {
  const text = await readFile(join(service.home, 'data/fleet/machine-key'), 'utf8');
  return new Identity(Buffer.from(text.trim(), 'base64url'));
}

/** Connects to a hub as whoever has this key; without one as nobody. Rejects if the hub refuses. */
export async function connectAs(
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
