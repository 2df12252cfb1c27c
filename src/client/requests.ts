import { ApiError, BusyError, DisconnectedError, errorOf, NoServiceError } from './errors.js';
import { pause } from './pause.js';
import { refusalOf } from './refusal.js';
import type { Transport, WireAnswer, WireSocket } from './transport.js';

export type Query = Record<string, string | number | boolean | undefined>;

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
}

/** Tries of one call, and the pauses between them, which double. */
const MAX_TRIES = 8;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/** Methods that can be repeated without a key. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'PUT']);

/** Sends requests, and repeats those that are safe to repeat with the same key each time. */
export class Requests {
  readonly #transport: Transport;
  readonly #headers: Record<string, string>;
  /** Whether the service has answered before: if it then is not there, it may be restarting. */
  #hasAnswered = false;

  /** @param headers - sent with every request */
  constructor(transport: Transport, headers: Record<string, string>) {
    this.#transport = transport;
    this.#headers = headers;
  }

  get<Answer>(path: string, call: Call = {}): Promise<Answer> {
    return this.json('GET', path, call);
  }

  post<Answer>(path: string, call: Call = {}): Promise<Answer> {
    return this.json('POST', path, call);
  }

  /** Resolves with the answer's JSON; undefined for an empty answer. Rejects with the errors of this client. */
  async json<Answer>(method: string, path: string, call: Call = {}): Promise<Answer> {
    const answer = await this.answer(method, path, call);
    const text = new TextDecoder().decode(await wholeOf(answer));
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    // Some routes report a failure with status 200.
    if (
      typeof body === 'object' &&
      body !== null &&
      'error' in body &&
      'code' in body &&
      !Array.isArray(body)
    )
      throw errorOf(refusalOf(answer.status, answer.headers, text));
    return body as Answer;
  }

  /** Resolves with the answer as text. */
  async text(method: string, path: string, call: Call = {}): Promise<string> {
    return new TextDecoder().decode(await this.bytes(method, path, call));
  }

  /** Resolves with the bytes of the answer. */
  async bytes(method: string, path: string, call: Call = {}): Promise<Uint8Array> {
    return wholeOf(await this.answer(method, path, call));
  }

  /** Resolves with a successful answer once its head is there. */
  async answer(method: string, path: string, call: Call = {}): Promise<WireAnswer> {
    const { query, body, signal, isKeyed = false } = call;
    const key = isKeyed ? (call.key ?? newKey()) : undefined;
    const request = {
      method,
      path: path + queryOf(query),
      headers: {
        ...this.#headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal,
    };
    const isRepeatable = isKeyed || SAFE.has(method);
    for (let tries = 1; ; tries++) {
      try {
        const answer = await this.#transport.send(request);
        this.#hasAnswered = true;
        if (answer.status < 300) return answer;
        throw errorOf(
          refusalOf(answer.status, answer.headers, new TextDecoder().decode(await wholeOf(answer))),
        );
      } catch (error) {
        signal?.throwIfAborted();
        if (tries === MAX_TRIES || !this.#mayPass(error, isRepeatable)) throw error;
        const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
        await pause(Math.max(asked, Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), MAX_PAUSE_MS)), signal);
      }
    }
  }

  connect(path: string, query: Query, signal?: AbortSignal): Promise<WireSocket> {
    return this.#transport.connect(path + queryOf(query), signal);
  }

  close(): void {
    this.#transport.close();
  }

  /** Whether another try may succeed, and cannot do anything a second time. */
  #mayPass(error: unknown, isRepeatable: boolean): boolean {
    if (error instanceof NoServiceError) return this.#hasAnswered;
    if (error instanceof DisconnectedError) return isRepeatable;
    // A busy service has done nothing, unless it says that it does not know.
    return error instanceof BusyError && (isRepeatable || error.code !== 'outcome-unknown');
  }
}

async function wholeOf({ body }: WireAnswer): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
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
