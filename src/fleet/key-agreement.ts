import { createPublicKey, diffieHellman, generateKeyPairSync, hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;

/** One side's X25519 key pair, with which two machines agree on keys that neither the hub nor a leaf has. */
export class AgreementKey {
  readonly #pair = generateKeyPairSync('x25519');
  /** 32 bytes in base64url. */
  readonly publicKey = this.#pair.publicKey.export({ format: 'jwk' }).x ?? '';

  /**
   * Returns two keys of 32 bytes, one for each direction; undefined for text that is no public key.
   *
   * @param publicKey - of the other side, which has signed it
   * @param use - purpose of the keys; keys for another purpose are different
   */
  agree(publicKey: string, use: string): [Buffer, Buffer] | undefined {
    const secret = this.#secretWith(publicKey);
    if (!secret) return undefined;
    const keys = Buffer.from(hkdfSync('sha256', secret, '', `auto-terminal fleet ${use}`, 2 * KEY_BYTES));
    return [keys.subarray(0, KEY_BYTES), keys.subarray(KEY_BYTES)];
  }

  /** Returns undefined for any error: two calls refuse text that is no public key, with many codes. */
  #secretWith(publicKey: string): Buffer | undefined {
    const jwk = { kty: 'OKP', crv: 'X25519', x: publicKey };
    try {
      return diffieHellman({
        privateKey: this.#pair.privateKey,
        publicKey: createPublicKey({ key: jwk, format: 'jwk' }),
      });
    } catch {
      return undefined;
    }
  }
}
