import { createHmac } from 'node:crypto';
import { REDACTED_HASH_DIGITS } from '../../contract/limits.js';

/** Bytes of the hash by which the value of a variable is recognised: enough that no other text has the same hash. */
const VALUE_HASH_BYTES = 16;

/** Hashes secrets by the key of this installation: without the key, a secret can be neither looked up nor guessed. */
export class SecretHash {
  readonly #key: Uint8Array;
  /** Odd factor of the fingerprints of values; see `known-values.ts`. */
  readonly factor: number;

  constructor(key: Uint8Array) {
    this.#key = key;
    this.factor = this.#hash('factor', '').readUInt32LE() | 1;
  }

  /** Returns the marker that replaces a secret. The same secret has the same hash, whatever its kind. */
  marker(kind: string, secret: string): string {
    const hash = this.#hash('shown', secret).toString('hex').slice(0, REDACTED_HASH_DIGITS);
    return `[redacted:${kind}:${hash}]`;
  }

  /** Returns the hash by which a value is recognised. */
  ofValue(value: string): string {
    return this.#hash('value', value).toString('base64url', 0, VALUE_HASH_BYTES);
  }

  #hash(use: string, text: string): Buffer {
    return createHmac('sha256', this.#key).update(`${use}\0${text}`).digest();
  }
}
