import { randomBytes } from 'node:crypto';

/** Bytes of randomness of a nonce: nobody guesses it within the life of a terminal. */
const NONCE_BYTES = 16;

/** Returns a nonce for the marks of one terminal's shell. */
export function newNonce(): string {
  return randomBytes(NONCE_BYTES).toString('hex');
}
