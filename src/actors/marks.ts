import { randomBytes } from 'node:crypto';

/** Bytes of randomness in what marks carry: nobody guesses it within the life of a terminal. */
const NONCE_BYTES = 16;

/** What the marks of one terminal's shell carry, or those of one command. */
export function newNonce(): string {
  return randomBytes(NONCE_BYTES).toString('hex');
}
