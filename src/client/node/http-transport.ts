import { setMaxListeners } from 'node:events';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { AutoTerminalError, DisconnectedError, NoServiceError } from '../errors.js';
import type { Transport, WireAnswer, WireRequest, WireSocket } from '../transport.js';
import { Agent, request } from './http.js';
import { Opening } from './opening.js';
import { socketFrom, upgradeHeaders } from './socket.js';

/** Where the service listens. */
export interface Location {
  /** Origin of the API, such as `http://127.0.0.1:42031`. With `socketPath`, only the name of the service in messages. */
  url: string;
  /** Path of the unix socket of the API, which is used in place of the URL. */
  socketPath?: string | undefined;
}

/** Request function and connection pool of HTTP or HTTPS. */
interface Protocol {
  request: typeof request;
  agent: InstanceType<typeof Agent>;
}

/** Idle connections are closed before the service closes them: a request could cross the service's close. */
const KEEPING = { keepAlive: true, timeout: 4_000 };

/** Limit for establishing a connection. */
const CONNECT_MS = 10_000;

/** Sends requests by `node:http`, over TCP or a unix socket. `fetch` takes 150 ms of processor time to load. */
export class HttpTransport implements Transport {
  readonly #locate: (isLost: boolean) => Location;
  readonly #connectMs: number;
  readonly #http: Protocol = { request, agent: new Agent(KEEPING) };
  #https: Promise<Protocol> | undefined;
  /** Whether a connection has failed: the service may have moved. */
  #isLost = false;

  /** @param locate - called for each request, with true after a connection has failed; may throw NoServiceError */
  constructor(locate: (isLost: boolean) => Location, connectMs = CONNECT_MS) {
    this.#locate = locate;
    this.#connectMs = connectMs;
  }

  send(wire: WireRequest): Promise<WireAnswer> {
    return this.#exchange(wire, {}, (sent) => answerTo(sent, wire));
  }

  connect(path: string, signal?: AbortSignal): Promise<WireSocket> {
    const wire = { method: 'GET', path, headers: upgradeHeaders(), signal };
    return this.#exchange(wire, { agent: false }, socketFrom);
  }

  allowManyListeners(signal: AbortSignal): void {
    setMaxListeners(0, signal);
  }

  close(): void {
    this.#http.agent.destroy();
    void this.#https?.then(({ agent }) => agent.destroy());
  }

  async #exchange<Result>(
    { method, path, headers, signal }: WireRequest,
    options: RequestOptions,
    read: (sent: ClientRequest) => Promise<Result>,
  ): Promise<Result> {
    const { url, socketPath } = this.#locate(this.#isLost);
    this.#isLost = false;
    // `localhost:42031` has the form of a URL, too.
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
      const fix = 'Give an origin, such as http://127.0.0.1:42031';
      throw new NoServiceError(`${JSON.stringify(url)} is no URL of a service`, { fix });
    }
    const { protocol, hostname, port } = new URL(url);
    const isPlain = socketPath !== undefined || protocol === 'http:';
    const { request, agent } = isPlain ? this.#http : await this.#secure();
    const place =
      socketPath === undefined ? { host: hostname.replace(/^\[|\]$/g, ''), port } : { socketPath };
    const sent = request({ ...place, method, path, headers, signal, agent, ...options });
    const opening = new Opening(sent, this.#connectMs);
    try {
      return await read(sent);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof AutoTerminalError) throw error;
      this.#isLost = true;
      throw failureAt(socketPath ?? url, error, opening.isDone);
    }
  }

  /** Loads TLS only when it is used: loading takes long for a short-lived process. */
  #secure(): Promise<Protocol> {
    this.#https ??= import('node:https').then((https) => ({
      request: https.request,
      agent: new https.Agent(KEEPING),
    }));
    return this.#https;
  }
}

/** Codes of a connection that nobody takes. */
const NOBODY: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOENT']);

function failureAt(place: string, cause: unknown, isConnected: boolean): AutoTerminalError {
  const why = (cause instanceof Error ? cause.message : String(cause)).trim();
  if (!isConnected) {
    const message = `No service answers at ${place}`;
    if (why === '' || NOBODY.has((cause as NodeJS.ErrnoException).code))
      return new NoServiceError(message, { cause });
    // A start of the service would not help against a name that is unknown, or a certificate that is not trusted.
    const isSecure = place.toLowerCase().startsWith('https:');
    const fix = isSecure
      ? 'Check the URL, and that Node trusts its certificate: NODE_EXTRA_CA_CERTS names the file of an authority'
      : 'Check the URL, or the path of the socket';
    return new NoServiceError(`${message}: ${why}`, { cause, fix });
  }
  return new DisconnectedError(`The connection to ${place} was lost: ${why}`, { cause });
}

function answerTo(sent: ClientRequest, { body }: WireRequest): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (incoming) => {
      // An error after the head is reported by the body.
      sent.off('error', reject).on('error', () => {});
      resolve({
        status: incoming.statusCode ?? 0,
        headers: headersOf(incoming),
        body: bodyOf(incoming),
        cancel: () => void incoming.destroy(),
      });
    });
    sent.end(body);
  });
}

async function* bodyOf(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* incoming;
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') throw error.cause ?? error;
    throw new DisconnectedError('The connection was lost within an answer', { cause: error });
  }
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
