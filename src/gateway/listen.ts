import type { Socket } from 'node:net';
import { createServer, isIPv6, Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { orPortTaken, PortTakenError, portOwner, portTaken } from './port-owner.js';
import { SecondLoopback } from './second-loopback.js';
import { ServedConnections } from './served-connections.js';

const LOOPBACK = '127.0.0.1';
const EVERY_ADDRESS = '0.0.0.0';
const EVERY_ADDRESSES: ReadonlySet<string> = new Set([EVERY_ADDRESS, '::']);

/** After a failed move, attempts to listen where it did before: every 100 ms, for ten seconds. */
const RETURN_RETRY_MS = 100;
const MAX_RETURN_ATTEMPTS = 100;

/** Where to listen. */
export interface Binding {
  /** 0 means any free port. */
  port: number;
  /** Address or name of this machine on which to listen. */
  host: string;
}

/** Returns the address to listen on: every address of this machine while exposed, else the loopback alone. */
export function hostFor(exposed: boolean): string {
  return exposed ? EVERY_ADDRESS : LOOPBACK;
}

/** Returns the origin under which programs of this machine reach a binding. */
function urlOf({ port, host }: Binding): string {
  const name = EVERY_ADDRESSES.has(host) ? LOOPBACK : host;
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`;
}

/** Milliseconds between two looks at a port that is taken. */
const PORT_RETRY_MS = 50;

/**
 * Throws {@link PortTakenError} if the port is taken, before anything is started.
 *
 * @param patienceMs - milliseconds that the present owner of the port gets to release it
 * @param stopping - ends the wait for that
 */
export async function ensurePortIsFree(
  binding: Binding,
  patienceMs = 0,
  stopping?: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  const isPatient = () => performance.now() < deadline && !stopping?.aborted;
  while (isPatient() && (await isTaken(binding))) await delay(PORT_RETRY_MS);
  const probe = createServer();
  await listenOn(probe, binding);
  await new Promise((resolve) => probe.close(resolve));
  const second = new SecondLoopback((socket) => socket.destroy());
  await secondOn(second, binding).finally(() => second.close());
}

/** A server, and the way in which it begins to listen for the first time. */
export interface Listening {
  server: Server;
  listen(binding: Binding): Promise<unknown>;
}

/** Returns a plain server as a {@link Listener} takes it. */
export function plainly(server: Server): Listening {
  return { server, listen: (binding) => bind(server, binding) };
}

/** Listens, and can move to another port or address while established connections continue. */
export class Listener {
  readonly #app: Listening;
  readonly #isServed: (socket: Socket) => boolean;
  readonly #connections: ServedConnections;
  readonly #second: SecondLoopback;
  #binding: Binding = { port: 0, host: LOOPBACK };

  /** @param isServed - returns false for a connection on which the current settings refuse every request */
  constructor(app: Listening, isServed: (socket: Socket) => boolean) {
    this.#app = app;
    this.#isServed = isServed;
    this.#connections = new ServedConnections(app.server);
    this.#second = new SecondLoopback((socket) => void app.server.emit('connection', socket));
  }

  /** Where the server listens, with the real port. */
  get binding(): Binding {
    return this.#binding;
  }

  get port(): number {
    return this.#binding.port;
  }

  /** The server's origin for programs of this machine. */
  get url(): string {
    return urlOf(this.#binding);
  }

  /** Starts to listen. Rejects with {@link PortTakenError}. */
  async open(binding: Binding): Promise<void> {
    await named(binding, () => this.#app.listen({ port: binding.port, host: binding.host }));
    this.#binding = { port: portOf(this.#app.server), host: binding.host };
    await secondOn(this.#second, this.#binding).catch((error: unknown) => {
      // With any free port, another program has that one there by chance.
      if (binding.port === 0) return;
      this.stop();
      throw error;
    });
  }

  /** Whether clients can connect. May be false after a move that failed. */
  get isListening(): boolean {
    return this.#app.server.listening;
  }

  /** Frees the port at once. Established connections continue until the server is closed. */
  stop(): void {
    stopListening(this.#app.server);
    this.stopSecond();
  }

  /** Frees the port at the IPv6 loopback, which a close of the server leaves open. */
  stopSecond(): void {
    this.#second.close();
  }

  /**
   * Listens elsewhere. If that fails, it listens as before, if it gets the old port back within ten seconds, and
   * rejects with `port-taken`. No client can connect for a moment, since no port can be bound to the loopback and to
   * all addresses at the same time.
   */
  async move(binding: Binding): Promise<void> {
    const { server } = this.#app;
    const before = this.#binding;
    // A port setting of 0 keeps the present port, so a change of the address alone does not change the port.
    const wanted = { port: binding.port === 0 ? before.port : binding.port, host: binding.host };
    const isSame = wanted.port === before.port && wanted.host === before.host;
    if (isSame && server.listening) return;
    if (wanted.port !== before.port) await orPortTaken(ensurePortIsFree(wanted));
    this.stop();
    try {
      await listenOn(server, wanted);
      await secondOn(this.#second, { ...wanted, port: portOf(server) });
    } catch (error) {
      this.stop();
      await orPortTaken(this.#listenAgain());
      throw portTaken(error);
    }
    this.#binding = { ...wanted, port: portOf(server) };
  }

  /**
   * Ends the connections that are no longer served: connections of other machines once the service is not exposed, and
   * connections of other users. Ends them at once, since output to a peer that does not read would keep them open.
   * `spared` still gets its answer; the guard refuses its further requests.
   */
  dropUnserved(spared?: Socket): void {
    this.#connections.dropUnserved(this.#isServed, spared);
  }

  /**
   * Ends the connections with an unanswered request or an open WebSocket, except `spared`, which still gets its answer.
   * Idle connections stay: a client that keeps a connection cannot tell whether a request was received if that
   * connection ends at the same time.
   */
  dropAtWork(spared?: Socket): void {
    this.#connections.dropAtWork(spared);
  }

  /** Takes back the binding that a failed move gave up, which another program may hold for a moment. */
  async #listenAgain(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        // Binds directly: the name of the port's owner is not needed here, and the owner may be slow to report it.
        await bind(this.#app.server, this.#binding);
        return await this.#second.open(this.#binding);
      } catch (error) {
        this.stop();
        if (attempt === MAX_RETURN_ATTEMPTS) return named(this.#binding, () => Promise.reject(error));
        await delay(RETURN_RETRY_MS);
      }
    }
  }
}

/** Stops listening only. `close` of an HTTP server would also end idle connections. */
function stopListening(server: Server): void {
  Server.prototype.close.call(server);
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server does not listen on a port');
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

/** Listens at the IPv6 loopback, too; with a port that is any free one, only once it is known. */
function secondOn(second: SecondLoopback, { port, host }: Binding): Promise<void> {
  return port === 0 ? Promise.resolve() : named({ port, host: '::1' }, () => second.open({ port, host }));
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

/** Rejects with an error that names the owner if the port is taken. */
async function named(binding: Binding, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    throw new PortTakenError(binding.port, await portOwner(urlOf(binding)), { cause: error });
  }
}
