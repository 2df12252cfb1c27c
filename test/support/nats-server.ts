import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { pemOf } from '#dist/fleet/certificate.js';
import { findNatsServer } from '#dist/fleet/nats-program.js';
import { eventually } from './processes.js';

/** A nats-server with users and a configuration of its own, as other people would run it. */
export class NatsServer {
  readonly #program: string;
  readonly #config: string;
  readonly #port: number;
  #child: ChildProcess;

  private constructor(program: string, config: string, port: number, child: ChildProcess) {
    this.#program = program;
    this.#config = config;
    this.#port = port;
    this.#child = child;
  }

  /** Starts a server with this text as its configuration; the port is separate. Resolves once the server listens. */
  static async start(folder: string, port: number, text: string): Promise<NatsServer> {
    const config = join(folder, `server-${port}.conf`);
    await writeFile(config, text);
    const program = await findNatsServer(undefined, process.env);
    const server = new NatsServer(program, config, port, begin(program, config, port));
    await server.#listens();
    return server;
  }

  /** Kills the server and starts it again. */
  async restart(): Promise<void> {
    await this.stop();
    this.#child = begin(this.#program, this.#config, this.#port);
    await this.#listens();
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }

  async #listens(): Promise<void> {
    await eventually(`a server on ${this.#port}`, async () => {
      if (this.#child.exitCode !== null) throw new Error(await readFile(`${this.#config}.log`, 'utf8'));
      const socket = connect(this.#port, '127.0.0.1');
      const isOpen = await Promise.race([
        once(socket, 'connect').then(() => true),
        once(socket, 'close').then(() => false),
      ]).catch(() => false);
      socket.destroy();
      return isOpen;
    });
  }
}

function begin(program: string, config: string, port: number): ChildProcess {
  return spawn(program, ['-c', config, '-a', '127.0.0.1', '-p', `${port}`, '-l', `${config}.log`], {
    stdio: 'ignore',
  });
}

/** Resolves with a new folder; the caller removes it. */
export function testFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'at-nats-'));
}

export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

/** A user of a server: the public key and the seed, which is also in a file that only its owner can read. */
export interface NkeyUser {
  nkey: string;
  seed: Uint8Array;
  file: string;
}

export async function nkeyUser(folder: string, name: string): Promise<NkeyUser> {
  const pair = nkeys.createUser();
  const file = join(folder, `${name}.nk`);
  await writePrivate(file, `${Buffer.from(pair.getSeed()).toString()}\n`);
  return { nkey: pair.getPublicKey(), seed: pair.getSeed(), file };
}

async function writePrivate(file: string, text: string): Promise<void> {
  await writeFile(file, text);
  await chmod(file, 0o600);
}

/** Returns the configuration lines that admit only these users, each to all subjects of one account. */
export function usersOf(users: readonly NkeyUser[]): string {
  const list = users.map(({ nkey }) => `{ nkey: ${nkey} }`).join('\n      ');
  return `accounts {\n  TERMINALS {\n    users: [\n      ${list}\n    ]\n  }\n}\n`;
}

/** Makes an operator with an account, as `nsc` makes them, and .creds files of users. */
export async function operator(folder: string, names: readonly string[]) {
  const [operatorKey, accountKey] = [nkeys.createOperator(), nkeys.createAccount()];
  const none = { subs: -1, data: -1, payload: -1 };
  const limits = { ...none, conn: -1, leaf: -1, imports: -1, exports: -1, wildcards: true };
  const config =
    `operator: ${jwtOf(operatorKey, operatorKey, { type: 'operator' })}\nresolver: MEMORY\nresolver_preload: {\n  ` +
    `${accountKey.getPublicKey()}: ${jwtOf(operatorKey, accountKey, { type: 'account', limits })}\n}\n`;
  const files = new Map<string, string>();
  for (const name of names) {
    const user = nkeys.createUser();
    const jwt = jwtOf(accountKey, user, { type: 'user', pub: {}, sub: {}, ...none });
    const file = join(folder, `${name}.creds`);
    const seed = Buffer.from(user.getSeed()).toString();
    await writePrivate(
      file,
      `-----BEGIN NATS USER JWT-----\n${jwt}\n------END NATS USER JWT------\n\n` +
        `-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
    );
    files.set(name, file);
  }
  return { config, files };
}

type Key = ReturnType<typeof nkeys.createUser>;

/** Returns a JWT of NATS, version 2. */
function jwtOf(issuer: Key, subject: Key, nats: object): string {
  const text = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
  const claims = {
    jti: randomBytes(16).toString('hex'),
    iat: Math.floor(Date.now() / 1_000),
    iss: issuer.getPublicKey(),
    name: 'test',
    sub: subject.getPublicKey(),
    nats: { ...nats, version: 2 },
  };
  const signed = `${text({ typ: 'JWT', alg: 'ed25519-nkey' })}.${text(claims)}`;
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString('base64url')}`;
}

/** Makes a certificate for 127.0.0.1 that is its own authority; resolves with its file and the configuration lines. */
export async function certificate(folder: string): Promise<{ file: string; config: string }> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const made = await x509.X509CertificateGenerator.createSelfSigned(
    {
      ...{ serialNumber: '4001', name: 'CN=a server of others', signingAlgorithm: algorithm, keys },
      notBefore: new Date(Date.now() - 86_400_000),
      notAfter: new Date(Date.now() + 86_400_000),
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }]),
      ],
    },
    webcrypto as never,
  );
  const [file, key] = [join(folder, 'server.pem'), join(folder, 'server-key.pem')];
  await writeFile(file, pemOf('CERTIFICATE', Buffer.from(made.rawData)));
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  await writePrivate(key, pemOf('PRIVATE KEY', der));
  return { file, config: `tls {\n  cert_file: "${file}"\n  key_file: "${key}"\n}\n` };
}
