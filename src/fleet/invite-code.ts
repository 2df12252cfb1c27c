import { DomainError } from '../contract/errors.js';
import { FLEET_SECRET_BYTES } from '../contract/limits.js';

/** What an invitation says. */
export interface InviteCode {
  /** Host name or address of the hub, as other machines reach it. */
  host: string;
  port: number;
  /** Secret that stands for the key of a guest. */
  secret: Uint8Array;
  /** SHA-256 of the hub's certificate. */
  fingerprint: Uint8Array;
}

const HEAD = 'at1-';
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
