import { CLIENT_HEADER } from '../../contract/headers.js';
import { DisconnectedError, NoServiceError } from '../errors.js';
import { joinedSignal } from '../joined-signal.js';
import type { Transport, WireAnswer, WireRequest, WireSocket } from '../transport.js';

/** The parts of a browser's WebSocket that are used here. */
interface BrowserSocket {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((message: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
}

declare const location: { origin: string } | undefined;

declare const WebSocket: new (url: string) => BrowserSocket;

/** Characters of unread messages beyond which the connection is given up: a browser's WebSocket has no flow control. */
const MAX_UNREAD_CHARS = 32 * 1024 * 1024;

/**
 * Time between two checks whether anything has come. After two checks in vain the service is asked for a message, after
 * the third the connection is given up. A browser reports neither a service that hangs nor a network that has gone, as
 * after a sleep of the computer.
 */
const LOOK_MS = 15_000;
/** A message whose type says nothing to the service, which acknowledges it. No command has this id. */
const PING = '{"id":0,"type":"ping"}';
/** Longest wait for the answer to whether the service is there. */
const MEET_MS = 10_000;

/** Sends requests by `fetch`, and opens the WebSocket of the browser. */
export class FetchTransport implements Transport {
  readonly #origin: string;
  /**
   * Headers that mark a page of the service's own origin. Pages of other origins cannot send them, so their cookies do
   * not count.
   */
  readonly #own: Record<string, string>;
  /** Ends the requests whose answers are not read to their end. */
  readonly #closing = new AbortController();

  /** Whether the last WebSocket has failed to open, or has ended: the service may be away. */
  #hasFailed = false;

  constructor(origin: string) {
    this.#origin = origin.replace(/\/$/, '');
    const isOwn = typeof location !== 'undefined' && location.origin === this.#origin;
    this.#own = isOwn ? { [CLIENT_HEADER]: 'page' } : {};
  }

  async send({ method, path, headers, body, signal }: WireRequest): Promise<WireAnswer> {
    const leaving = new AbortController();
    const { signal: ending, release } = joinedSignal(signal, this.#closing.signal, leaving.signal);
    try {
      const init = { method, headers: { ...this.#own, ...headers }, signal: ending };
      const response = await fetch(this.#origin + path, body === undefined ? init : { ...init, body });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: bodyOf(response, signal, release),
        cancel: () => leaving.abort(),
      };
    } catch (cause) {
      release();
      signal?.throwIfAborted();
      // `fetch` does not report whether anything was sent. A GET takes no effect either way.
      throw method === 'GET'
        ? this.#isAway(cause)
        : new DisconnectedError(`The connection to ${this.#origin} failed`, { cause });
    }
  }

  async connect(path: string, signal?: AbortSignal): Promise<WireSocket> {
    signal?.throwIfAborted();
    // After each WebSocket that fails, Chromium delays the next one longer, up to a minute. So no WebSocket is tried
    // before the service answers.
    if (this.#hasFailed) await this.#meet(signal);
    return this.#open(path, signal);
  }

  /** Resolves if a service answers; rejects with NoServiceError. */
  async #meet(signal?: AbortSignal): Promise<void> {
    const signals = [AbortSignal.timeout(MEET_MS), ...(signal ? [signal] : [])];
    try {
      await fetch(`${this.#origin}/health`, { method: 'HEAD', signal: AbortSignal.any(signals) });
    } catch (cause) {
      signal?.throwIfAborted();
      throw this.#isAway(cause);
    }
  }

  #isAway(cause?: unknown): NoServiceError {
    return new NoServiceError(`No service answers at ${this.#origin}`, { cause });
  }

  #open(path: string, signal?: AbortSignal): Promise<WireSocket> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(this.#origin.replace(/^http/, 'ws') + path);
      const close = () => socket.close();
      const messages = new Unread(close);
      let closeCode: number | undefined;
      /** Looks since the last message. */
      let looks = 0;
      let looking: ReturnType<typeof setInterval>;
      const end = () => {
        clearInterval(looking);
        signal?.removeEventListener('abort', close);
        messages.end();
        this.#hasFailed = true;
        reject(signal?.aborted ? signal.reason : this.#isAway());
      };
      socket.onmessage = ({ data }) => {
        looks = 0;
        messages.add(String(data));
      };
      socket.onclose = ({ code }) => {
        closeCode = code;
        end();
      };
      socket.onopen = () => {
        this.#hasFailed = false;
        looking = setInterval(() => {
          if (++looks === 2) socket.send(PING);
          if (looks < 3) return;
          close();
          // The browser would first wait for the other end to close, too.
          end();
        }, LOOK_MS);
        resolve({
          send: (text) => socket.send(text),
          messages: messages.read(),
          close,
          get closeCode() {
            return closeCode;
          },
        });
      };
      signal?.addEventListener('abort', close);
    });
  }

  close(): void {
    this.#closing.abort();
  }
}

async function* bodyOf(
  { body }: Response,
  signal: AbortSignal | undefined,
  release: () => void,
): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  if (!reader) return release();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
  } catch (cause) {
    signal?.throwIfAborted();
    throw new DisconnectedError('The connection was lost within an answer', { cause });
  } finally {
    reader.releaseLock();
    release();
  }
}

/** Messages that have come and are not read yet. */
class Unread {
  readonly #onOverflow: () => void;
  #messages: string[] = [];
  #chars = 0;
  #isOver = false;
  #wake = () => {};

  constructor(onOverflow: () => void) {
    this.#onOverflow = onOverflow;
  }

  add(message: string): void {
    this.#messages.push(message);
    this.#chars += message.length;
    if (this.#chars > MAX_UNREAD_CHARS) this.#onOverflow();
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *read(): AsyncGenerator<string> {
    for (;;) {
      const messages = this.#messages;
      this.#messages = [];
      for (const message of messages) {
        this.#chars -= message.length;
        yield message;
      }
      if (this.#messages.length > 0) continue;
      if (this.#isOver) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
