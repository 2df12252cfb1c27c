import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { z } from 'zod';
import { replaceFile } from '../config/replace-file.js';
import { DomainError } from '../contract/errors.js';
import { FLEET_SERVER_MS } from '../contract/limits.js';
import { fetchCertificate } from './fetch-certificate.js';
import type { FleetFiles } from './files.js';
import { checkConfig, findNatsServer } from './nats-program.js';
import { becomesFree } from './ports.js';
import { commandLineOf, startOf } from './process-start.js';

const LOOK_MS = 10;
/** Milliseconds that a nats-server has to end after it was asked to. */
const STOP_MS = 5_000;

/** The process that this hub has started, as stored for a later service. */
const Started = z.object({ pid: z.int(), start: z.string() });
type Started = z.infer<typeof Started>;

export interface HubProcessOptions {
  files: FleetFiles;
  /** The setting `fleet.serverPath`. */
  program: () => string | undefined;
  env: NodeJS.ProcessEnv;
  logger: Logger;
}

/**
 * The nats-server of a hub: a process of its own, which outlives a crash of the service and is adopted by the next one.
 * Only a process that this hub has started is ever adopted or signalled, known by its pid and its start.
 */
export class HubProcess {
  readonly #options: HubProcessOptions;
  readonly #inTurn = pLimit(1);
  /** Configuration that nats-server is known to have read; unknown after an adoption, and so reloaded then. */
  #applied: string | undefined;

  constructor(options: HubProcessOptions) {
    this.#options = options;
  }

  /**
   * Makes sure that nats-server runs with this configuration: adopts, reloads or starts it. Resolves once the
   * configuration holds. Rejects with no-nats-server or fleet-failed; a server that runs then goes on as before.
   */
  apply(config: string, at: { host: string; port: number }): Promise<void> {
    return this.#inTurn(async () => {
      const { files, program, env } = this.#options;
      const found = await findNatsServer(program(), env);
      const draft = `${files.config}.draft`;
      await writeFile(draft, config, { mode: 0o600 });
      await checkConfig(found, draft);
      const running = await this.#running();
      if (running !== undefined && this.#applied === config) return;
      this.#applied = undefined;
      await rename(draft, files.config);
      if (running === undefined) await this.#start(found, at);
      else await this.#reload(running.pid);
      this.#applied = config;
    });
  }

  /** Resolves with whether nats-server runs. */
  async isRunning(): Promise<boolean> {
    return (await this.#running()) !== undefined;
  }

  /** Ends nats-server, if it runs. */
  stop(): Promise<void> {
    return this.#inTurn(async () => {
      const running = await this.#running();
      if (running) await this.#end(running);
      await rm(this.#options.files.started, { force: true });
    });
  }

  async #running(): Promise<Started | undefined> {
    const parsed = Started.safeParse(jsonOf(await textIn(this.#options.files.started)));
    return parsed.success && (await isAlive(parsed.data)) ? parsed.data : this.#unwritten();
  }

  /** Resolves with a server whose service was killed between starting the server and storing that it had. */
  async #unwritten(): Promise<Started | undefined> {
    const { pid: file, config, started } = this.#options.files;
    // nats-server writes its pid itself. By now that may be the pid of another program, without this configuration.
    const pid = Number(await textIn(file));
    if (!Number.isInteger(pid) || pid < 2 || !(await commandLineOf(pid))?.endsWith(` -c ${config}`))
      return undefined;
    const start = await startOf(pid);
    if (start === undefined) return undefined;
    await replaceFile(started, JSON.stringify({ pid, start }));
    return { pid, start };
  }

  async #start(program: string, { host, port }: { host: string; port: number }): Promise<void> {
    const { files, logger } = this.#options;
    if (!(await becomesFree(host, port)))
      throw new DomainError(
        'fleet-failed',
        `Port ${port} of ${host} is in use: another program listens there`,
      );
    const output = await open(files.output, 'w', 0o600);
    // Detached and without our descriptors: it lives on when the service dies.
    const child = spawn(program, ['-c', files.config], {
      detached: true,
      stdio: ['ignore', output.fd, output.fd],
    });
    try {
      await once(child, 'spawn');
    } finally {
      await output.close();
    }
    child.unref();
    const pid = child.pid!;
    const start = await startOf(pid);
    const started = start === undefined ? undefined : { pid, start };
    if (started) await replaceFile(files.started, JSON.stringify(started));
    const deadline = performance.now() + FLEET_SERVER_MS;
    while (started && performance.now() < deadline && (await isAlive(started))) {
      const isReady = await fetchCertificate(connectable(host), port, 1_000).then(
        () => true,
        () => false,
      );
      if (isReady) {
        logger.info({ serverPid: pid, port }, 'the hub of the fleet has started');
        return;
      }
      await delay(LOOK_MS);
    }
    if (started && (await isAlive(started))) await this.#end(started);
    const said = `${await readFile(files.output, 'utf8')}${await tailOf(files.log, 0)}`
      .trim()
      .split('\n')
      .at(-1);
    throw new DomainError('fleet-failed', `nats-server did not start: ${said}`);
  }

  /** Makes nats-server reload its configuration. nats-server reports the result only in its log. */
  async #reload(pid: number): Promise<void> {
    const { log } = this.#options.files;
    const from = await sizeOf(log);
    process.kill(pid, 'SIGHUP');
    const deadline = performance.now() + FLEET_SERVER_MS;
    while (performance.now() < deadline) {
      const text = await tailOf(log, from);
      if (text.includes('Reloaded server configuration')) return;
      const failed = /Failed to reload server configuration: (.*)/.exec(text);
      if (failed)
        throw new DomainError('fleet-failed', `nats-server refuses its configuration: ${failed[1]}`);
      await delay(LOOK_MS);
    }
    throw new DomainError('fleet-failed', 'nats-server did not read its configuration in time');
  }

  async #end(started: Started): Promise<void> {
    const deadline = performance.now() + STOP_MS;
    for (let signal: NodeJS.Signals = 'SIGTERM'; await isAlive(started); await delay(LOOK_MS)) {
      if (performance.now() > deadline) signal = 'SIGKILL';
      signalled(started.pid, signal);
    }
  }
}

async function isAlive({ pid, start }: Started): Promise<boolean> {
  return (await startOf(pid)) === start;
}

/** Signals a process that may end at this moment. */
function signalled(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Returns an address at which this machine reaches a server that listens on `host`. */
export function connectable(host: string): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Returns the text of a log from a position on; all of it, if the log was started again since. */
async function tailOf(file: string, from: number): Promise<string> {
  const bytes = await readFile(file).catch(() => Buffer.alloc(0));
  return bytes.subarray(bytes.length < from ? 0 : from).toString();
}

/** Returns the text of a file; empty if there is none. */
function textIn(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
