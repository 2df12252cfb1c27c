import { ApiError, AutoTerminalError, BusyError } from './errors.js';
import { LiveSocket } from './live-socket.js';
import { pause } from './pause.js';
import type { Requests } from './requests.js';
import type { ScreenRows } from './types.js';

/** A screen to watch. */
export interface ScreenView {
  terminalId: string;
  /** Most frames a second, 0.5 to 10; 2 by default. */
  fps?: number;
  /** 0 to 3; a higher one comes first where there is more to send than there is time. */
  priority?: number;
}

/** Rows of a terminal's screen. With `from: null` they are all, and rows that are left out are empty. */
export interface ScreenFrame extends ScreenRows {
  terminalId: string;
}

const RECONNECT_MS = 250;

/**
 * Follows what many terminals show: iterate over the rows that change, and say at any time which screens are wanted.
 * Each frame builds on the one before it of its terminal. When the service restarts, it connects again, and each screen
 * begins with all its rows. Ends by the signal, whose reason it throws, and by whatever ends the loop that reads it.
 */
export class Screens implements AsyncIterable<ScreenFrame> {
  readonly #requests: Requests;
  readonly #signal: AbortSignal | undefined;
  #views: readonly ScreenView[];
  #socket: LiveSocket | undefined;
  /** Number of the last frame, by terminal. */
  readonly #last = new Map<string, number>();

  constructor(requests: Requests, views: readonly ScreenView[], signal?: AbortSignal) {
    this.#requests = requests;
    this.#views = views;
    this.#signal = signal;
  }

  /**
   * Replaces the screens that are watched, at most 300. Resolves with the ids that do not exist; with none while there
   * is no connection, which then begins with these screens.
   */
  async watch(views: readonly ScreenView[]): Promise<string[]> {
    this.#views = views;
    const { missing = [] } = (await this.#socket?.command({ action: 'screens:watch', views })) ?? {};
    return missing as string[];
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ScreenFrame> {
    const signal = this.#signal;
    for (let isFirst = true; ; isFirst = false) {
      try {
        const socket = await LiveSocket.open(this.#requests, { screens: 1, output: 0 }, signal);
        const close = () => socket.close();
        signal?.addEventListener('abort', close, { once: true });
        try {
          yield* this.#frames(socket);
        } finally {
          signal?.removeEventListener('abort', close);
          this.#socket = undefined;
          socket.close();
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (isFirst || (error instanceof ApiError && !(error instanceof BusyError))) throw error;
      }
      await pause(RECONNECT_MS, signal);
    }
  }

  async *#frames(socket: LiveSocket): AsyncGenerator<ScreenFrame> {
    this.#last.clear();
    this.#socket = socket;
    await this.watch(this.#views);
    for await (const { type, terminalId, data } of socket.events()) {
      if (type !== 'screen.rows') continue;
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
      // It is watched no more, or the next connection begins anew.
      if (!(error instanceof AutoTerminalError)) throw error;
    });
  }
}
