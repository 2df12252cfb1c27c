import {
  ApiError,
  type AutoTerminalError,
  BusyError,
  ClosedError,
  DisconnectedError,
  NoServiceError,
} from './errors.js';
import { pause } from './pause.js';
import { current, type Provided } from './provided.js';
import { failureOf, objectOf } from './refusal.js';
import type { Transport, WireAnswer, WireRequest, WireSocket } from './transport.js';
import { textOf, wholeOf } from './whole.js';

export type Query = Record<string, string | number | boolean | undefined>;

/** Credentials and headers of a client, and its rule for repeating calls. */
export interface ClientOptions {
  /** The setting `network.authToken`. A call that is refused while a function returns a new token is sent again. */
  token?: Provided<string | undefined>;
  /** Sent with every request. */
  headers?: Provided<Record<string, string>>;
  /**
   * Asked before a call is repeated, which happens only where it cannot take effect twice; false ends the call with the
   * error. `tries` counts the tries so far. By default there are up to eight tries, and a service that has answered
   * before is awaited for half a minute.
   */
  mayRepeat?: ((error: AutoTerminalError, tries: number) => boolean) | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Idempotency-Key of a call that types or creates; a random key by default. */
  key?: string | undefined;
}

/** A call of one route. */
export interface Call extends CallOptions {
  query?: Query | undefined;
  body?: unknown;
  /** The route takes an Idempotency-Key, so the call is repeated after a failure that may have been temporary. */
  isKeyed?: boolean;
  /** The route only reads, so the call is repeated in the same way, without a key. A GET always does. */
  isRead?: boolean;
}

/** Tries of one call, and the pauses between them, which double. */
const MAX_TRIES = 8;
/** Tries while no service answers: half a minute, since a busy machine takes long to restart the service. */
const MAX_TRIES_ABSENT = 20;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/** Codes of a busy service after which the request may have taken effect. */
const OPEN_OUTCOMES: ReadonlySet<string> = new Set(['outcome-unknown', 'shutting-down']);

/** Sends requests. Repeats a request if that is safe, with the same key each time. */
export class Requests {
  readonly #transport: Transport;
  readonly #options: ClientOptions;
  readonly #closing = new AbortController();
  /** Whether the service has answered before: if it stops answering, it may be restarting. */
  #hasAnswered = false;

  constructor(transport: Transport, options: ClientOptions = {}) {
    this.#transport = transport;
    this.#options = options;
    this.allowMany(this.closed);
  }

  /** Allows any number of listeners: each stream, and each call, listens to its signals. */
  allowMany(signal?: AbortSignal): void {
    if (signal) this.#transport.allowManyListeners?.(signal);
  }

  get<Answer>(path: string, call: Call = {}): Promise<Answer> {
    return this.json('GET', path, call);
  }

  post<Answer>(path: string, call: Call = {}): Promise<Answer> {
    return this.json('POST', path, call);
  }

  /** Resolves with the answer's JSON; undefined for the empty answer to a DELETE. Rejects with the errors of this client. */
  json<Answer>(method: string, path: string, call: Call = {}): Promise<Answer> {
    return this.#ask(method, path, call, async (answer) => {
      const text = await textOf(answer);
      // Only deletions are answered with nothing.
      if (text === '' && method === 'DELETE') return undefined as Answer;
      const body = objectOf(text);
      // Some routes report a failure with status 200.
      if ('error' in body && 'code' in body) throw failureOf(answer.status, answer.headers, text);
      return body as Answer;
    });
  }

  /** Resolves with the answer as text. */
  text(method: string, path: string, call: Call = {}): Promise<string> {
    return this.#ask(method, path, call, textOf);
  }

  /** Resolves with the bytes of the answer. */
  bytes(method: string, path: string, call: Call = {}): Promise<Uint8Array> {
    return this.#ask(method, path, call, wholeOf);
  }

  /** Yields the pieces of a successful answer as they come. Throws ClosedError, too, when the client is closed meanwhile. */
  async *pieces(method: string, path: string, call: Call = {}): AsyncGenerator<Uint8Array> {
    const answer = await this.#ask(method, path, call, (answer) => answer);
    try {
      yield* answer.body;
    } catch (error) {
      this.closed.throwIfAborted();
      throw error;
    } finally {
      answer.cancel();
    }
  }

  /** Fires when the client is closed. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** Opens a WebSocket. */
  connect(path: string, query: Query, signal: AbortSignal): Promise<WireSocket> {
    // On an upgrade, the service takes the token from the query.
    const token = current(this.#options.token);
    return this.#transport.connect(path + queryOf({ ...query, token }), signal);
  }

  /** Ends calls and streams in progress with ClosedError, as well as all later ones. */
  close(): void {
    this.#closing.abort(new ClosedError());
    this.#transport.close();
  }

  /** Waits before another try. Rejects with the signal's reason, or with ClosedError once the client is closed. */
  pause(ms: number, signal?: AbortSignal): Promise<void> {
    return pause(ms, signal, this.closed);
  }

  /** Sends a request, and reads the answer. Repeats both where another try may succeed and takes no effect twice. */
  async #ask<Result>(
    method: string,
    path: string,
    call: Call,
    read: (answer: WireAnswer) => Result | Promise<Result>,
  ): Promise<Result> {
    const { query, body, signal, isKeyed = false, isRead = method === 'GET' } = call;
    this.allowMany(signal);
    const key = isKeyed ? (call.key ?? newKey()) : undefined;
    const request = {
      method,
      path: path + queryOf(query),
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal,
    };
    // A request that replaces something has the same effect twice as once.
    const isRepeatable = isKeyed || isRead || method === 'PUT';
    /** The first failure that left open whether the request took effect. */
    let open: unknown;
    for (let tries = 1; ; tries++) {
      try {
        this.closed.throwIfAborted();
        const answer = await this.#send(request);
        this.#hasAnswered = true;
        if (answer.status < 300) return await read(answer);
        throw failureOf(answer.status, answer.headers, await textOf(answer));
      } catch (error) {
        signal?.throwIfAborted();
        this.closed.throwIfAborted();
        if (!isRead && leavesOpen(error)) open ??= error;
        const most = error instanceof NoServiceError ? MAX_TRIES_ABSENT : MAX_TRIES;
        if (tries >= most || !this.#mayPass(error, isRepeatable, tries)) {
          // That the last try had no effect says nothing about the first.
          const isWithoutEffect = error instanceof NoServiceError || error instanceof BusyError;
          throw isWithoutEffect ? (open ?? error) : error;
        }
        const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
        const ms = Math.max(asked, Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), MAX_PAUSE_MS));
        await this.pause(ms, signal);
      }
    }
  }

  /** Sends a request with the present token; sends it once more if it was refused and the token has changed meanwhile. */
  async #send(request: WireRequest, isLast = false): Promise<WireAnswer> {
    const token = current(this.#options.token);
    const answer = await this.#transport.send({
      ...request,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...current(this.#options.headers),
        ...request.headers,
      },
    });
    // A function that returns another token each time, such as a signed one, may be wrong each time.
    if (isLast || answer.status !== 401 || current(this.#options.token) === token) return answer;
    answer.cancel();
    return this.#send(request, true);
  }

  /** Whether another try may succeed, and cannot take effect a second time. */
  #mayPass(error: unknown, isRepeatable: boolean, tries: number): boolean {
    return (
      this.#isPassing(error, isRepeatable) &&
      (this.#options.mayRepeat?.(error as AutoTerminalError, tries) ?? true)
    );
  }

  #isPassing(error: unknown, isRepeatable: boolean): boolean {
    if (error instanceof NoServiceError) return this.#hasAnswered;
    if (error instanceof DisconnectedError) return isRepeatable;
    // The caller chooses by `queueMs` whether to wait for room; repeating the request would jump the line.
    if (error instanceof BusyError && error.code === 'over-limit') return false;
    // A busy service has done nothing, unless it says that it does not know.
    return error instanceof BusyError && (isRepeatable || error.code !== 'outcome-unknown');
  }
}

/** Returns whether a request that failed so may have taken effect. */
function leavesOpen(error: unknown): boolean {
  return error instanceof DisconnectedError || (error instanceof BusyError && OPEN_OUTCOMES.has(error.code));
}

function queryOf(query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value));
  return params.size === 0 ? '' : `?${params}`;
}

/** Returns a random key. `crypto.randomUUID` is missing on pages that are not served over TLS or from this machine. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
