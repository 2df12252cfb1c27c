import { DomainError } from '../contract/errors.js';
import { outsideServersOf } from '../contract/fleet-setting.js';
import { FLEET_SECRET_BYTES } from '../contract/limits.js';

/** Content of an invitation. */
export interface InviteCode {
  /** Host name or address of the hub, as other machines reach it. */
  host: string;
  port: number;
  /** Secret that stands for the key of a guest. */
  secret: Uint8Array;
  /** SHA-256 of the hub's certificate. */
  fingerprint: Uint8Array;
}

/** Content of an invitation to a fleet on a server of others. */
export interface OutsideInvite {
  /** Secret that stands for the key of a guest. */
  secret: Uint8Array;
  /** Public key of the hub, in base64url: no certificate of ours proves the hub. */
  hubKey: string;
  /** The hub's `fleet.url`, for people: each machine has its own. */
  url: string;
}

const HEAD = 'at1-';
const OUTSIDE_HEAD = 'at2-';
const KEY_BYTES = 32;
const FINGERPRINT_BYTES = 32;
const FIXED_BYTES = FLEET_SECRET_BYTES + FINGERPRINT_BYTES + 2;

/** Returns an invitation as a person copies it: `at1-` and base64url. */
export function encodeInvite({ host, port, secret, fingerprint }: InviteCode): string {
  const number = Buffer.alloc(2);
  number.writeUInt16BE(port);
  return HEAD + Buffer.concat([secret, fingerprint, number, Buffer.from(host)]).toString('base64url');
}

/** Reads an invitation. Throws invite-invalid. */
export function decodeInvite(code: string): InviteCode {
  const text = code.trim();
  const bytes = Buffer.from(text.slice(HEAD.length), 'base64url');
  const host = bytes.subarray(FIXED_BYTES).toString();
  const port = bytes.length > FIXED_BYTES ? bytes.readUInt16BE(FIXED_BYTES - 2) : 0;
  if (!text.startsWith(HEAD) || port === 0 || !/^[A-Za-z0-9.:_-]+$/.test(host))
    throw new DomainError('invite-invalid');
  return {
    ...{ host, port },
    secret: bytes.subarray(0, FLEET_SECRET_BYTES),
    fingerprint: bytes.subarray(FLEET_SECRET_BYTES, FIXED_BYTES - 2),
  };
}

/** Returns an invitation to a fleet on a server of others: `at2-` and base64url. */
export function encodeOutsideInvite({ secret, hubKey, url }: OutsideInvite): string {
  const bytes = Buffer.concat([secret, Buffer.from(hubKey, 'base64url'), Buffer.from(url)]);
  return OUTSIDE_HEAD + bytes.toString('base64url');
}

/** Reads an invitation; undefined if it is none to a fleet on a server of others. Throws invite-invalid for half of one. */
export function decodeOutsideInvite(code: string): OutsideInvite | undefined {
  const text = code.trim();
  if (!text.startsWith(OUTSIDE_HEAD)) return undefined;
  const bytes = Buffer.from(text.slice(OUTSIDE_HEAD.length), 'base64url');
  const url = bytes.subarray(FLEET_SECRET_BYTES + KEY_BYTES).toString();
  if (!outsideServersOf(url)) throw new DomainError('invite-invalid');
  return {
    secret: bytes.subarray(0, FLEET_SECRET_BYTES),
    hubKey: bytes.subarray(FLEET_SECRET_BYTES, FLEET_SECRET_BYTES + KEY_BYTES).toString('base64url'),
    url,
  };
}
