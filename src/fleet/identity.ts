import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigError } from '../config/config-error.js';
import { makePrivateFolder } from '../config/private-folder.js';
import { replaceFile } from '../config/replace-file.js';

/** Bytes that RFC 8410 puts before the 32 bytes of an Ed25519 private key. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/** 32 bytes in base64url. */
const PUBLIC_KEY_CHARS = 43;

const ID_CHARS = 12;
const ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

/** An Ed25519 key pair: a machine's identity, or the key of a guest, which follows from its invitation's secret. */
export class Identity {
  /** The 32 bytes of the private key. Only for connections and derived keys. */
  readonly seed: Uint8Array;
  /** The 32 bytes of the public key, in base64url. */
  readonly publicKey: string;
  /** The id of the machine with this key. */
  readonly machineId: string;
  readonly #key: KeyObject;

  /** @param seed - 32 bytes */
  constructor(seed: Uint8Array) {
    this.seed = seed;
    this.#key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
    const der = createPublicKey(this.#key).export({ format: 'der', type: 'spki' });
    this.publicKey = der.subarray(SPKI_HEAD.length).toString('base64url');
    this.machineId = machineIdOf(this.publicKey);
  }

  /** Returns the signature, in base64url. */
  sign(bytes: Uint8Array): string {
    return sign(null, bytes, this.#key).toString('base64url');
  }

  /** Returns the key pair that is derived from this one for `name`. */
  derive(name: string): Identity {
    return identityOf(this.seed, name);
  }
}

/** Returns the key pair that follows from a secret. */
export function identityOf(secret: Uint8Array, name: string): Identity {
  return new Identity(new Uint8Array(hkdfSync('sha256', secret, '', `auto-terminal fleet ${name}`, 32)));
}

/** Returns the id of the machine with a public key: `m_` and 60 bits of the key's hash. */
export function machineIdOf(publicKey: string): string {
  const hash = createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest();
  let rest = hash.readBigUInt64BE(0);
  let text = '';
  for (let index = 0; index < ID_CHARS; index++) {
    text += ID_ALPHABET[Number(rest % 36n)];
    rest /= 36n;
  }
  return `m_${text}`;
}

/** Parsed keys, the last used at the end. Parsing a key takes as long as checking a signature. */
const read = new Map<string, KeyObject>();
const MAX_READ = 2_048;

/** Returns an Ed25519 public key; undefined for text that is no such key. */
function publicKeyOf(publicKey: string): KeyObject | undefined {
  // A sender may send any text, and the decoder skips characters that are not base64url.
  if (publicKey.length !== PUBLIC_KEY_CHARS) return undefined;
  const raw = Buffer.from(publicKey, 'base64url');
  if (raw.length !== 32) return undefined;
  const key =
    read.get(publicKey) ??
    createPublicKey({ key: Buffer.concat([SPKI_HEAD, raw]), format: 'der', type: 'spki' });
  read.delete(publicKey);
  read.set(publicKey, key);
  if (read.size > MAX_READ) read.delete(read.keys().next().value!);
  return key;
}

/** Returns whether the owner of `publicKey` has signed `bytes`; false for text that is no key or no signature. */
export function isSigned(bytes: Uint8Array, signature: string, publicKey: string): boolean {
  const key = publicKeyOf(publicKey);
  return key !== undefined && verify(null, bytes, key, Buffer.from(signature, 'base64url'));
}

/** Returns the identity of this machine; undefined if it has none yet. Rejects with ConfigError. */
async function readIdentity(file: string): Promise<Identity | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ConfigError(`${file}: cannot be read (${error.code})`, { cause: error });
  });
  if (text === undefined) return undefined;
  const seed = Buffer.from(text.trim(), 'base64url');
  if (seed.length !== 32) throw new ConfigError(`${file}: holds no key of this machine`);
  return new Identity(seed);
}

/**
 * Returns the identity of a machine that is in a fleet. Rejects with a ConfigError that names the file: with a new key
 * this would be another machine, which nobody in the fleet knows.
 */
export async function memberIdentity(file: string): Promise<Identity> {
  const identity = await readIdentity(file);
  if (identity) return identity;
  throw new ConfigError(
    `${file}: is missing; put back the key by which the fleet knows this machine, or move fleet.json away to start without one`,
  );
}

/**
 * Reads the identity of this machine, or makes an identity that only its user can read. Rejects with ConfigError if the
 * file cannot be read, and with the system's error if it cannot be written.
 */
export async function loadIdentity(file: string): Promise<Identity> {
  const known = await readIdentity(file);
  if (known) return known;
  const { privateKey } = generateKeyPairSync('ed25519');
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(PKCS8_HEAD.length);
  await makePrivateFolder(dirname(file));
  await replaceFile(file, `${seed.toString('base64url')}\n`);
  return new Identity(seed);
}
