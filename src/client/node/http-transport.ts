import { Agent, type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { DisconnectedError, NoServiceError } from '../errors.js';
import type { Transport, WireAnswer, WireRequest, WireSocket } from '../transport.js';
import { openSocket } from './socket.js';

/** Where the service listens, and the token that it asks for. */
export interface Location {
  /** Origin of the API, such as `http://127.0.0.1:42031`. With `socketPath`, only the name of the service in messages. */
  url: string;
  /** Path of the unix socket of the API, which is used in place of the URL. */
  socketPath?: string | undefined;
  token?: string | undefined;
}

/** Error codes of connections over which nothing was sent. */
const NEVER_SENT: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EACCES'],
]);

/** Sends requests by `node:http`, over TCP or a unix socket. `fetch` takes 150 ms of processor time to load. */
export class HttpTransport implements Transport {
  readonly #locate: () => Location;
  #location: Location | undefined;
  readonly #agent = new Agent({ keepAlive: true });

  /** @param locate - called at the first request, and again after a connection has failed; may throw NoServiceError */
  constructor(locate: () => Location) {
    this.#locate = locate;
  }

  async send(wire: WireRequest): Promise<WireAnswer> {
    const location = this.#where();
    try {
      return await answerOf(request(this.#optionsOf(location, wire)), wire);
    } catch (error) {
      throw this.#failure(location, error, wire.signal);
    }
  }

  async connect(path: string, signal?: AbortSignal): Promise<WireSocket> {
    const location = this.#where();
    // A token in the query is how the service takes it on an upgrade.
    const query =
      location.token === undefined ? '' : `${path.includes('?') ? '&' : '?'}token=${location.token}`;
    const options = this.#optionsOf(location, { method: 'GET', path: path + query, headers: {}, signal });
    try {
      return await openSocket({ ...options, agent: false });
    } catch (error) {
      throw this.#failure(location, error, signal);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #where(): Location {
    this.#location ??= this.#locate();
    return this.#location;
  }

  #optionsOf(
    { url, socketPath, token }: Location,
    { method, path, headers, signal }: WireRequest,
  ): RequestOptions {
    const { hostname, port } = new URL(url);
    const place =
      socketPath === undefined ? { host: hostname.replace(/^\[|\]$/g, ''), port } : { socketPath };
    return {
      ...place,
      ...{ method, path, signal, agent: this.#agent },
      headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
    };
  }

  #failure({ url, socketPath }: Location, error: unknown, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted) return signal.reason;
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === undefined || !(error instanceof Error) || 'status' in error) return error;
    // The service may have moved.
    this.#location = undefined;
    const place = socketPath ?? url;
    if (NEVER_SENT.has(code)) return new NoServiceError(`No service answers at ${place}`, { cause: error });
    return new DisconnectedError(`The connection to ${place} was lost: ${error.message}`, { cause: error });
  }
}

function answerOf(sent: ClientRequest, { body }: WireRequest): Promise<WireAnswer> {
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
