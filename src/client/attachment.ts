import { ApiError, DisconnectedError } from './errors.js';
import { type LiveEvent, LiveSocket, refusedBy } from './live-socket.js';
import { mayReconnect } from './may-reconnect.js';
import type { Requests } from './requests.js';
import type { TerminalSize } from './types.js';

export interface AttachOptions extends TerminalSize {
  /** The client types nothing and decides no size. */
  readOnly?: boolean;
  /** Name of the client in the list of clients. */
  name?: string;
  /** Origin of the client's input; `user` by default. */
  origin?: 'user' | 'api';
  /** Ends the attachment; its events then end, too. */
  signal?: AbortSignal | undefined;
}

/** Event of an attached client; the events come in order. */
export type AttachEvent =
  /** The whole screen: `data` begins with ESC c. Comes first, after a reconnection, and when the client has fallen behind. */
  | ({ type: 'reset'; data: string; seq: number } & TerminalSize)
  | { type: 'output'; data: string; seq: number }
  | ({ type: 'resized' } & TerminalSize)
  /** The connection is lost; the attachment tries to connect again. Input is refused meanwhile. */
  | { type: 'disconnected' }
  /** The last event: the program has ended, the terminal is gone, or somebody has detached the client. */
  | { type: 'exited'; exitCode: number | null; signal: string | null; oomKilled?: boolean | undefined }
  | { type: 'removed' }
  | { type: 'detached'; reason: string };

const RECONNECT_MS = 250;

/**
 * Attachment to one terminal: iterate over its events, and type meanwhile. It reconnects when the service restarts, and
 * then begins with the screen.
 */
export class Attachment implements AsyncIterable<AttachEvent> {
  readonly #requests: Requests;
  readonly #id: string;
  readonly #options: AttachOptions;
  #size: TerminalSize;
  #socket: LiveSocket | undefined;
  /** Settles once the service has taken the client of this connection, or refused it. */
  #attached: Promise<unknown> = Promise.resolve();
  #isDetached = false;
  #clientId: string | undefined;

  constructor(requests: Requests, id: string, options: AttachOptions) {
    this.#requests = requests;
    this.#id = id;
    this.#options = options;
    this.#size = { cols: options.cols, rows: options.rows };
  }

  /**
   * Id of this client in the list of clients; it changes with each reconnection, and is undefined before the first
   * connection.
   */
  get clientId(): string | undefined {
    return this.#clientId;
  }

  /**
   * Types text byte for byte, under a lease if given: a person's keys do not end that lease. Rejects with
   * DisconnectedError while there is no connection.
   */
  async type(data: string, lease?: string): Promise<void> {
    // Otherwise this input might end the program before the service has taken the client, and the service would refuse
    // the client.
    await this.#attached.catch(() => undefined);
    await this.#command('terminal:input', { data, lease });
  }

  /** Reports the size of the client, which the terminal gets if this client leads. */
  async resize({ cols, rows }: TerminalSize): Promise<void> {
    this.#size = { cols, rows };
    // Without a connection, the next one begins with this size.
    if (this.#socket) await this.#command('terminal:resize', { cols, rows });
  }

  /** Takes the lead of the terminal's size. */
  async lead(): Promise<void> {
    await this.#command('terminal:lead', {});
  }

  /** Asks for the screen, which comes as a `reset` in its place among the output. */
  async redraw(): Promise<void> {
    await this.#command('stream:resync', {});
  }

  /** Ends the attachment and its events. Resolves once the terminal has the size that it has without this client. */
  async detach(): Promise<void> {
    if (this.#isDetached) return;
    this.#isDetached = true;
    const socket = this.#socket;
    try {
      // Without a connection the service detects the end by itself.
      await socket?.command({ action: 'terminal:detach', terminalId: this.#id });
    } catch (error) {
      if (!(error instanceof DisconnectedError)) throw error;
    } finally {
      socket?.close();
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AttachEvent> {
    const { signal, origin = 'user' } = this.#options;
    const query = { terminals: this.#id, snapshot: 1, origin };
    try {
      for (let isFirst = true; !this.#isOver; isFirst = false) {
        try {
          const socket = await LiveSocket.open(this.#requests, query, signal);
          // `detach` found no connection to end.
          if (this.#isOver) return socket.close();
          const last = yield* this.#session(socket, isFirst);
          if (last) return;
        } catch (error) {
          if (this.#isOver) return;
          if (isFirst || !mayReconnect(error)) throw error;
        }
        if (this.#isOver) return;
        this.#requests.closed.throwIfAborted();
        yield { type: 'disconnected' };
        await this.#requests.pause(RECONNECT_MS, signal).catch((error) => {
          if (!this.#isOver) throw error;
        });
      }
    } finally {
      this.#socket?.close();
    }
  }

  get #isOver(): boolean {
    return this.#isDetached || (this.#options.signal?.aborted ?? false);
  }

  /** Yields the events of one connection; returns whether the attachment has ended. */
  async *#session(socket: LiveSocket, isFirst: boolean): AsyncGenerator<AttachEvent, boolean> {
    this.#socket = socket;
    const { readOnly = false, name = '' } = this.#options;
    const attached = this.#command('terminal:attach', { ...this.#size, readOnly, name });
    this.#attached = attached;
    let refusal: unknown;
    attached.then(
      (client) => {
        this.#clientId = client.clientId as string;
      },
      (error: unknown) => {
        refusal = error;
        socket.close();
      },
    );
    try {
      for await (const event of socket.events()) {
        if (event.type === 'stream.ended' && event.terminalId === this.#id) throw refusedBy(event);
        const told = toldBy(event, this.#id);
        if (!told) continue;
        if (this.#isOver) return true;
        yield told;
        if (told.type === 'exited' || told.type === 'removed' || told.type === 'detached') return true;
      }
      if (socket.isServiceStopped && !this.#isOver) {
        yield { type: 'removed' };
        return true;
      }
    } finally {
      this.#socket = undefined;
      // While detaching, the answer may still come; `detach` then closes the socket.
      if (!this.#isDetached) socket.close();
    }
    // An exited terminal takes no clients, and its last screen has been shown.
    if (refusal instanceof ApiError && (isFirst || !mayReconnect(refusal))) throw refusal;
    return false;
  }

  #command(action: string, payload: Record<string, unknown>): Promise<Record<string, unknown>> {
    if (!this.#socket) return Promise.reject(new DisconnectedError('The service is not connected'));
    return this.#socket.command({ action, terminalId: this.#id, ...payload });
  }
}

/** Returns the event for an attached client; undefined if it is about another terminal, or of no use to the client. */
function toldBy(
  { type, terminalId, data, seq = 0, cols, rows }: LiveEvent,
  id: string,
): AttachEvent | undefined {
  if (terminalId !== id) return undefined;
  switch (type) {
    case 'output.data': {
      const content = String(data.content);
      return cols !== undefined && rows !== undefined
        ? { type: 'reset', data: content, seq, cols, rows }
        : { type: 'output', data: content, seq };
    }
    case 'terminal.resized':
      return { type: 'resized', cols: Number(data.cols), rows: Number(data.rows) };
    case 'terminal.exited':
      return {
        type: 'exited',
        exitCode: data.exitCode as number | null,
        signal: data.signal as string | null,
        oomKilled: data.oomKilled as boolean | undefined,
      };
    case 'terminal.removed':
      return { type: 'removed' };
    // The service reports no other client's detachment, and reports this client's only after `exited` if the program has ended.
    case 'client.detached':
      return { type: 'detached', reason: String(data.reason) };
    default:
      return undefined;
  }
}
