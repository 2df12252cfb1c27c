import { createPrivateKey, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { type Authenticator, type NodeConnectionOptions, nkeys } from '@nats-io/transport-node';
import { openRegular } from '../../config/regular-file.js';
import type { FleetLinkKey, FleetServer } from './protocol.js';

/** Bytes that RFC 8410 puts before the 32 bytes of an Ed25519 private key. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const MAX_FILE_BYTES = 1_048_576;
/** Permission bits of group and world. */
const OTHERS = 0o077;

type ServerOptions = Pick<
  NodeConnectionOptions,
  'servers' | 'tls' | 'authenticator' | 'ignoreClusterUpdates'
>;

/** Error of a setting with which this machine cannot connect; the message names the setting. */
export class ServerSettingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ServerSettingError';
  }
}

/** Resolves with the library's options for a server, with its files as of now. Rejects with {@link ServerSettingError}. */
export async function optionsOf({ servers, tls, login }: FleetServer): Promise<ServerOptions> {
  if (servers.length === 0) throw new ServerSettingError('The setting fleet.url names no server');
  const names = servers.map(({ host, port }) => (isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`));
  const options: ServerOptions = {
    servers: names,
    // Servers announce others without a host name, so the certificates of these could not be checked.
    ignoreClusterUpdates: true,
  };
  if (login)
    options.authenticator =
      'key' in login ? keyAuthenticator(login.key) : await fileAuthenticator(login.file);
  if (tls)
    options.tls = {
      ...('pem' in tls && { ca: tls.pem, servername: tls.name }),
      ...('file' in tls && { ca: await textOf('fleet.authorities', tls.file) }),
      // For an address, the library passes no name, and Node would check the certificate for the name of this machine.
      ...(!('pem' in tls) && { checkServerIdentity: identityCheck(servers.map(({ host }) => host)) }),
    } as NonNullable<NodeConnectionOptions['tls']>;
  return options;
}

/** Returns a check that accepts a certificate that is valid for one of the hosts. */
function identityCheck(hosts: readonly string[]): typeof checkServerIdentity {
  return (_name: string, certificate: PeerCertificate) => {
    const errors = hosts.map((host) => checkServerIdentity(host, certificate));
    return errors.includes(undefined) ? undefined : errors[0];
  };
}

/** Logs in by Node's own Ed25519, since the library's takes a hundred times as long. */
function keyAuthenticator({ seed, nkey }: FleetLinkKey): (nonce?: string) => { nkey: string; sig: string } {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
  return (nonce?: string) => ({
    nkey,
    sig: nonce === undefined ? '' : sign(null, Buffer.from(nonce), key).toString('base64url'),
  });
}

/**
 * Logs in with a file: NATS credentials with a JWT and a seed, or the seed of an nkey. The library reads the seed before
 * the server waits for the login: its own signature takes so long that a busy machine would miss the server's deadline.
 */
async function fileAuthenticator(path: string): Promise<Authenticator> {
  const text = await textOf('fleet.credentials', path, true);
  const [seed] = /\bSU[A-Z2-7]{56}\b/.exec(text) ?? [];
  const [, jwt] = /BEGIN NATS USER JWT-*\s+(\S+)\s/.exec(text) ?? [];
  if (seed === undefined)
    throw new ServerSettingError(`fleet.credentials: ${path} holds neither a seed of a user nor credentials`);
  const login = keyAuthenticator({ seed: rawSeedOf(seed), nkey: nkeyIn(seed, path) });
  return jwt === undefined ? login : (nonce?: string) => ({ jwt, ...login(nonce) });
}

/** Returns the public key of a seed, whose checksum the library checks. */
function nkeyIn(seed: string, path: string): string {
  try {
    return nkeys.fromSeed(Buffer.from(seed)).getPublicKey();
  } catch (error) {
    throw new ServerSettingError(`fleet.credentials: ${path} holds a seed that is broken (${String(error)})`);
  }
}

/** Returns the 32 bytes of a seed, which two bytes of its kind precede in base32. */
function rawSeedOf(seed: string): Uint8Array {
  const bits = [...seed].map((char) => BASE32.indexOf(char).toString(2).padStart(5, '0')).join('');
  return Uint8Array.from({ length: 32 }, (_, index) =>
    Number.parseInt(bits.slice(16 + 8 * index, 24 + 8 * index), 2),
  );
}

async function textOf(setting: string, path: string, isPrivate = false): Promise<string> {
  const file = await openRegular(path).catch((error: NodeJS.ErrnoException) => {
    throw new ServerSettingError(`${setting}: ${path} cannot be read (${error.code})`);
  });
  try {
    const { mode, size } = await file.stat();
    if (size > MAX_FILE_BYTES) throw new ServerSettingError(`${setting}: ${path} is larger than 1 MiB`);
    if (isPrivate && process.platform !== 'win32' && (mode & OTHERS) !== 0)
      throw new ServerSettingError(`${setting}: ${path} is open to other users; chmod 600 closes it`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
