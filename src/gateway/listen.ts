import type { Socket } from 'node:net';
import { createServer, isIPv6, Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '../contract/errors.js';
import { PortTakenError, portOwner } from './port-owner.js';
import type { App } from './validation.js';

const LOOPBACK = '127.0.0.1';
const EVERY_ADDRESS = '0.0.0.0';
const EVERY_ADDRESSES: ReadonlySet<string> = new Set([EVERY_ADDRESS, '::']);

/** How long the binding before is tried for when a move has failed: ten seconds. */
const RETURN_RETRY_MS = 100;
const MAX_RETURN_ATTEMPTS = 100;

/** Where to listen. */
export interface Binding {
  /** 0 is any free one. */
  port: number;
  /** Address or name of this machine. */
  host: string;
}

/** Where the service listens: on every address of this machine while it is exposed, else on the loopback alone. */
export function hostFor(exposed: boolean): string {
  return exposed ? EVERY_ADDRESS : LOOPBACK;
}

/** The origin under which programs of this machine reach what listens there. */
function originOf({ port, host }: Binding): string {
  const name = EVERY_ADDRESSES.has(host) ? LOOPBACK : host;
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`;
}

/** How often a port that is taken is tried again. */
const PORT_RETRY_MS = 50;

/**
 * Throws {@link PortTakenError} before anything is started, where the port is taken.
 *
 * @param patienceMs - how long whoever has it is given to let go of it
 */
export async function ensurePortIsFree(binding: Binding, patienceMs = 0): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline && (await isTaken(binding))) await delay(PORT_RETRY_MS);
  const probe = createServer();
  await listenOn(probe, binding);
  await new Promise((resolve) => probe.close(resolve));
}

/** Listens, and moves to another port or address while connections that stand go on. */
export class Listener {
  readonly #app: App;
  readonly #isServed: (socket: Socket) => boolean;
  readonly #connections = new Set<Socket>();
  #binding: Binding = { port: 0, host: LOOPBACK };

  /** @param isServed - false for a connection on which every request is refused, as settings are now */
  constructor(app: App, isServed: (socket: Socket) => boolean) {
    this.#app = app;
    this.#isServed = isServed;
    app.server.on('connection', (socket: Socket) => {
      this.#connections.add(socket);
      socket.once('close', () => this.#connections.delete(socket));
    });
  }

  /** Where it listens, with the real port. */
  get binding(): Binding {
    return this.#binding;
  }

  get port(): number {
    return this.#binding.port;
  }

  /** Its origin for programs of this machine. */
  get url(): string {
    return originOf(this.#binding);
  }

  /** Begins to listen. Rejects with {@link PortTakenError}. */
  async open(binding: Binding): Promise<void> {
    await named(binding, () => this.#app.listen({ port: binding.port, host: binding.host }));
    this.#binding = { port: portOf(this.#app.server), host: binding.host };
  }

  /** Whether anybody can connect. It may be false after a move that failed. */
  get isListening(): boolean {
    return this.#app.server.listening;
  }

  /** The port is free at once; connections that stand go on until the server is closed. */
  stop(): void {
    stopListening(this.#app.server);
  }

  /**
   * Listens elsewhere. Where that cannot be, it listens as before and rejects with `port-taken`. Nobody can connect
   * for a moment: the loopback and all addresses cannot be listened to at once on one port.
   */
  async move(binding: Binding): Promise<void> {
    const { server } = this.#app;
    const before = this.#binding;
    // The port stays where only the addresses change and the port was any free one.
    const wanted = { port: binding.port === 0 ? before.port : binding.port, host: binding.host };
    const isSame = wanted.port === before.port && wanted.host === before.host;
    if (isSame && server.listening) return;
    if (wanted.port !== before.port) await orPortTaken(ensurePortIsFree(wanted));
    stopListening(server);
    try {
      await listenOn(server, wanted);
    } catch (error) {
      await this.#listenAgain();
      throw portTaken(error);
    }
    this.#binding = { ...wanted, port: portOf(server) };
  }

  /**
   * Ends the connections that are not served any more: of other machines once the service is not exposed, of other
   * users. At once, since what waits for a peer that does not read would keep it open. `spared` still gets its answer;
   * the guard lets it ask nothing more.
   */
  dropUnserved(spared?: Socket): void {
    for (const socket of this.#connections) {
      if (socket !== spared && !this.#isServed(socket)) socket.destroy();
    }
  }

  /** Takes the binding back that was given up. Another program may have it for the moment. */
  async #listenAgain(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        // Who has it is for nobody to know, and may be slow to say.
        return await bind(this.#app.server, this.#binding);
      } catch (error) {
        if (attempt === MAX_RETURN_ATTEMPTS) throw error;
        await delay(RETURN_RETRY_MS);
      }
    }
  }
}

/** `close` of an HTTP server would end idle connections, too; this ends the listening alone. */
function stopListening(server: Server): void {
  Server.prototype.close.call(server);
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it does not listen on a port');
  return address.port;
}

async function isTaken(binding: Binding): Promise<boolean> {
  const probe = createServer();
  try {
    await bind(probe, binding);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  }
  await new Promise((resolve) => probe.close(resolve));
  return false;
}

function listenOn(server: Server, binding: Binding): Promise<void> {
  return named(binding, () => bind(server, binding));
}

function bind(server: Server, { port, host }: Binding): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      server.off('error', settle).off('listening', settle);
      if (error) reject(error);
      else resolve();
    };
    server.once('error', settle).once('listening', settle);
    server.listen({ port, host });
  });
}

/** Says to whom a port belongs that is taken. */
async function named(binding: Binding, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    throw new PortTakenError(binding.port, await portOwner(originOf(binding)), { cause: error });
  }
}

function orPortTaken<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    throw portTaken(error);
  });
}

/** While the service runs, a taken port is the answer to a request and not the end. */
function portTaken(error: unknown): unknown {
  return error instanceof PortTakenError
    ? new DomainError('port-taken', error.message, { cause: error })
    : error;
}
