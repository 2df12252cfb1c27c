import { DomainError } from '../contract/errors.js';
import { FLEET_CONNECT_MS } from '../contract/limits.js';
import type { FleetServer } from '../workers/fleet-link/protocol.js';
import { fingerprintOf } from './certificate.js';
import { fetchCertificate } from './fetch-certificate.js';
import type { Identity } from './identity.js';
import { decodeInvite, decodeOutsideInvite, type InviteCode } from './invite-code.js';
import { guestOf } from './invites.js';
import { hubServer, type OutsideSettings, outsideServer } from './servers.js';
import type { OwnServer } from './state.js';

/** Where a guest speaks to the hub. */
export interface Door {
  server: FleetServer;
  /** The key that is derived from the invitation's secret. */
  guest: Identity;
  /** The hub's key, if the invitation names it; the server then admits others, too, and the guest signs its messages. */
  hubKey?: string;
  /** SHA-256 of the certificate of the hub's server, in base64url. */
  fingerprint?: string;
  /** The part of the door that a member keeps. */
  place: Pick<OwnServer, 'host' | 'port' | 'certificate'> | { isOutside: true };
}

/**
 * Resolves with where a machine with this invitation speaks to the hub. Rejects with invite-invalid, hub-unreachable, and
 * invite-refused for another hub.
 */
export async function doorOf(code: string, settings: OutsideSettings): Promise<Door> {
  const outside = decodeOutsideInvite(code);
  if (outside) {
    const { secret, hubKey, url } = outside;
    if (settings.url === undefined)
      throw new DomainError(
        'fleet-failed',
        `This fleet meets at ${url}, which others run: set fleet.url, and fleet.credentials of this machine`,
      );
    return { server: outsideServer(settings), guest: guestOf(secret), hubKey, place: { isOutside: true } };
  }
  const invite = decodeInvite(code);
  const { host, port } = invite;
  const certificate = await certificateOf(invite);
  const guest = guestOf(invite.secret);
  const place = { host, port, certificate };
  const fingerprint = fingerprintOf(certificate).toString('base64url');
  return { server: hubServer(place, guest), guest, fingerprint, place };
}

/** Resolves with the hub's certificate, if it is the invitation's. */
async function certificateOf({ host, port, fingerprint }: InviteCode): Promise<string> {
  const certificate = await fetchCertificate(host, port, FLEET_CONNECT_MS).catch((cause: unknown) => {
    throw new DomainError('hub-unreachable', `The hub at ${host}:${port} cannot be reached`, { cause });
  });
  if (!fingerprintOf(certificate).equals(fingerprint))
    throw new DomainError('invite-refused', 'Another server answers at the address of the hub');
  return certificate;
}
