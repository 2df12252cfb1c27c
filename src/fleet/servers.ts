import { outsideServersOf } from '../contract/fleet-setting.js';
import type { FleetLinkKey, FleetServer } from '../workers/fleet-link/protocol.js';
import { HUB_NAME } from './certificate.js';
import { connectable } from './hub-process.js';
import type { Identity } from './identity.js';
import { nkeyOf } from './nkey.js';
import { type FleetFacts, type OwnServer, ownServerOf } from './state.js';

/** The settings of a server that others run. */
export interface OutsideSettings {
  url?: string | undefined;
  credentials?: string | undefined;
  authorities?: string | undefined;
}

export function keyOf(identity: Identity): FleetLinkKey {
  return { seed: identity.seed, nkey: nkeyOf(identity.publicKey) };
}

/** Returns how a machine or a guest reaches the server of a hub. */
export function hubServer(
  { host, port, certificate }: Pick<OwnServer, 'host' | 'port' | 'certificate'>,
  identity: Identity,
): FleetServer {
  return {
    servers: [{ host, port }],
    isOurs: true,
    tls: { pem: certificate, name: HUB_NAME },
    login: { key: keyOf(identity) },
  };
}

/** Returns how this machine reaches the server of its settings; the list of servers is empty if they name none. */
export function outsideServer({ url, credentials, authorities }: OutsideSettings): FleetServer {
  const found = (url === undefined ? undefined : outsideServersOf(url)) ?? [];
  const isTls = authorities !== undefined || found.some((each) => each.isTls);
  return {
    servers: found.map(({ host, port }) => ({ host, port })),
    isOurs: false,
    ...(isTls && { tls: authorities === undefined ? {} : { file: authorities } }),
    ...(credentials !== undefined && { login: { file: credentials } }),
  };
}

/** Returns how a machine of a fleet reaches its server. */
export function serverOf(facts: FleetFacts, identity: Identity, settings: OutsideSettings): FleetServer {
  const own = ownServerOf(facts);
  if (!own) return outsideServer(settings);
  const host = facts.role === 'hub' ? connectable(own.host) : own.host;
  return hubServer({ ...own, host }, identity);
}
