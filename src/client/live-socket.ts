import { type AutoTerminalError, DisconnectedError, errorOf, NotUnderstoodError } from './errors.js';
import { joinedSignal } from './joined-signal.js';
import type { Query, Requests } from './requests.js';
import type { WireSocket } from './transport.js';

/** An event of the WebSocket, as it comes over the wire. */
export interface LiveEvent {
  type: string;
  terminalId: string;
  data: Record<string, unknown>;
  seq?: number;
  /** With `rows`, of an output event that begins with a whole screen. */
  cols?: number;
  rows?: number;
  /** When it was sent, as RFC 3339. */
  timestamp: string;
}

interface Reply {
  id: number;
  success: boolean;
  data?: Record<string, unknown>;
  error?: string;
  code?: string;
  fix?: string;
  status?: number;
}

interface Waiting {
  resolve(data: Record<string, unknown>): void;
  reject(error: AutoTerminalError): void;
}

/** Code with which the service closes when it is stopped (RFC 6455, section 7.4.1). */
const GOING_AWAY = 1001;

/** Most characters of unread events; beyond them, nothing more is read from the connection. */
const MAX_UNREAD_CHARS = 4 * 1024 * 1024;

/**
 * One connection of the live stream. The service detects a reader that falls behind, and sends it screens in place of
 * the missed output.
 */
export class LiveSocket {
  readonly #socket: WireSocket;
  /** Stops listening to the signals that close it. */
  readonly #release: () => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly #unread: Array<{ event: LiveEvent; chars: number }> = [];
  #chars = 0;
  #ids = 0;
  #isOver = false;
  #failure: NotUnderstoodError | undefined;
  /** Wakes the reader of events; `#makeRoom` wakes the reader of the connection. */
  #wake = () => {};
  #makeRoom = () => {};

  private constructor(socket: WireSocket, signal: AbortSignal, release: () => void) {
    this.#socket = socket;
    this.#release = release;
    signal.addEventListener('abort', () => this.close());
    // It may have fired while the connection was made.
    if (signal.aborted) this.close();
    this.#read().catch((error: unknown) => {
      this.#failure =
        error instanceof NotUnderstoodError ? error : new NotUnderstoodError(`${error}`, { cause: error });
      socket.close();
      this.#end(this.#failure);
    });
  }

  /** Opens a connection, which closes by the signal, and with the client. Rejects with the signal's reason. */
  static async open(requests: Requests, query: Query, signal?: AbortSignal): Promise<LiveSocket> {
    requests.allowMany(signal);
    const { signal: either, release } = joinedSignal(signal, requests.closed);
    try {
      either.throwIfAborted();
      return new LiveSocket(await requests.connect('/api/ws', query, either), either, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Sends a command; resolves with the service's answer. Rejects with ApiError, or DisconnectedError. */
  command(payload: Record<string, unknown>): Promise<Record<string, unknown>> {
    if (this.#isOver) return Promise.reject(new DisconnectedError('The live stream is closed'));
    const id = ++this.#ids;
    const answered = new Promise<Record<string, unknown>>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    this.#socket.send(JSON.stringify({ id, type: 'command', payload }));
    this.#makeRoom();
    return answered;
  }

  /** Whether the service has ended the connection because it stops and closes its terminals. */
  get isServiceStopped(): boolean {
    return this.#socket.closeCode === GOING_AWAY;
  }

  /** The events, up to the end of the connection. Can be read once. Throws NotUnderstoodError. */
  async *events(): AsyncGenerator<LiveEvent> {
    for (;;) {
      for (let next = this.#unread.shift(); next; next = this.#unread.shift()) {
        this.#chars -= next.chars;
        this.#makeRoom();
        yield next.event;
      }
      if (this.#failure) throw this.#failure;
      if (this.#isOver) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.#isOver = true;
    this.#socket.close();
    this.#makeRoom();
    this.#wake();
  }

  async #read(): Promise<void> {
    for await (const text of this.#socket.messages) {
      const message = messageOf(text);
      if ('success' in message) {
        this.#answer(message);
      } else if (message.event && !this.#isOver) {
        const { event, timestamp } = message;
        event.timestamp = timestamp;
        this.#unread.push({ event, chars: text.length });
        this.#chars += text.length;
        this.#wake();
      }
      await this.#room();
    }
    this.#end(new DisconnectedError('The live stream ended before the answer'));
  }

  #end(reason: AutoTerminalError): void {
    this.#release();
    this.#isOver = true;
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
    this.#wake();
  }

  /**
   * Resolves when there is room for more messages. While a command waits for its answer there always is: the answer may
   * be behind any number of events. So there is after {@link close}, since the connection ends only when it is read to its end.
   */
  async #room(): Promise<void> {
    while (this.#chars > MAX_UNREAD_CHARS && this.#waiting.size === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#makeRoom = resolve;
      });
    }
  }

  #answer(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.success) {
      waiting?.resolve(reply.data ?? {});
      return;
    }
    const { error: message = 'The command failed', code = 'command-failed', fix, status = 200 } = reply;
    waiting?.reject(errorOf({ status, code, message, fix, details: { ...reply } }));
  }
}

/** Returns the error for `stream.ended`, by which the owner of a terminal on another machine ends the stream. */
export function refusedBy({ data }: LiveEvent): AutoTerminalError {
  const { code, error } = data as { code: string; error: string };
  return errorOf({ status: 403, code, message: error, details: data });
}

/** Takes a message of the service; throws NotUnderstoodError if it is none. */
function messageOf(text: string): { event?: LiveEvent; timestamp: string } | Reply {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch (cause) {
    throw new NotUnderstoodError('a message that is no JSON', { cause });
  }
  const { event, success } = isObject(message) ? message : {};
  const isEvent = isObject(event) && typeof event.type === 'string' && isObject(event.data);
  if (
    !isObject(message) ||
    (event !== undefined && !isEvent) ||
    !['undefined', 'boolean'].includes(typeof success)
  )
    throw new NotUnderstoodError('a message that is neither an event nor a reply');
  return message as unknown as { event?: LiveEvent; timestamp: string } | Reply;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
