import { AutoTerminalError, DisconnectedError } from './errors.js';
import type { ServiceEvent } from './events.js';
import { LiveSocket } from './live-socket.js';
import { mayReconnect } from './may-reconnect.js';
import type { CallOptions, Requests } from './requests.js';
import type { ScreenRows } from './types.js';

/** A screen to watch. */
export interface ScreenView {
  terminalId: string;
  /** Most frames a second, 0.5 to 10; 2 by default. */
  fps?: number;
  /** 0 to 3; a screen with a higher one is sent first when not all can be sent in time. */
  priority?: number;
}

/** Rows of a terminal's screen. With `from: null` the frame is the whole screen, and rows that are left out are empty. */
export interface ScreenFrame extends ScreenRows {
  terminalId: string;
}

export interface ScreensOptions extends CallOptions {
  /**
   * Called with the events of the service, in order; the types are those of {@link ServiceEvent}, and
   * `terminal.activity` with `data.terminals`: ids and the bytes that each has printed within a second.
   */
  onEvent?: ((event: Omit<ServiceEvent, 'id'>) => void) | undefined;
  /** Called at each connection. Earlier events are not reported: read the present state now. */
  onOpen?: (() => void) | undefined;
  /** Called when the connection is lost. */
  onLost?: (() => void) | undefined;
}

const RECONNECT_MS = 250;

/**
 * Follows the screens of many terminals, and by `onEvent` the events of the service, over one connection: iterate over
 * the rows that change, and call `watch` at any time to choose the screens. Each frame builds on the previous frame of
 * its terminal. Reconnects when the service restarts; each screen then begins with all its rows. Ends by the signal,
 * whose reason it throws, or when the loop that reads it ends.
 */
export class Screens implements AsyncIterable<ScreenFrame> {
  readonly #requests: Requests;
  readonly #options: ScreensOptions;
  #views: readonly ScreenView[];
  #socket: LiveSocket | undefined;
  /** Number of the last frame, by terminal. */
  readonly #last = new Map<string, number>();

  constructor(requests: Requests, views: readonly ScreenView[], options: ScreensOptions = {}) {
    this.#requests = requests;
    this.#views = views;
    this.#options = options;
  }

  /**
   * Replaces the screens that are watched, at most 300. Resolves with the ids that do not exist; with none if there is
   * no connection, or if it ends before the answer: the next connection begins with these screens.
   */
  async watch(views: readonly ScreenView[]): Promise<string[]> {
    this.#views = views;
    try {
      const { missing = [] } = (await this.#socket?.command({ action: 'screens:watch', views })) ?? {};
      return missing as string[];
    } catch (error) {
      if (error instanceof DisconnectedError) return [];
      throw error;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ScreenFrame> {
    const { signal, onEvent, onLost } = this.#options;
    const events = onEvent && { events: 'all', activity: 1 };
    for (let isFirst = true; ; isFirst = false) {
      try {
        const socket = await LiveSocket.open(this.#requests, { screens: 1, output: 0, ...events }, signal);
        try {
          yield* this.#frames(socket);
        } finally {
          this.#socket = undefined;
          socket.close();
          onLost?.();
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (isFirst || !mayReconnect(error)) throw error;
      }
      await this.#requests.pause(RECONNECT_MS, signal);
    }
  }

  async *#frames(socket: LiveSocket): AsyncGenerator<ScreenFrame> {
    this.#last.clear();
    this.#socket = socket;
    // Once this is answered, the stream is live: no later event is missed.
    await socket.command({ action: 'screens:watch', views: this.#views });
    this.#options.onOpen?.();
    for await (const event of socket.events()) {
      this.#options.signal?.throwIfAborted();
      const { type, terminalId, data } = event;
      if (type !== 'screen.rows') {
        this.#options.onEvent?.(event);
        continue;
      }
      const rows = data as unknown as ScreenRows;
      if (rows.from !== null && rows.from !== this.#last.get(terminalId)) {
        this.#ask(socket, terminalId);
        continue;
      }
      this.#last.set(terminalId, rows.n);
      yield { terminalId, ...rows };
    }
  }

  /** Asks for all rows. */
  #ask(socket: LiveSocket, terminalId: string): void {
    socket.command({ action: 'screens:resync', terminalId }).catch((error: unknown) => {
      // The terminal is no longer watched, or the next connection begins anew.
      if (!(error instanceof AutoTerminalError)) throw error;
    });
  }
}
