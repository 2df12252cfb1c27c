import { LiveSocket, refusedBy } from './live-socket.js';
import { mayReconnect } from './may-reconnect.js';
import type { Requests } from './requests.js';

/** Output of a terminal; `isScreen` if it begins with ESC c and the whole screen. */
export interface LiveOutput {
  terminalId: string;
  data: string;
  /** Bytes that the terminal has printed up to the end of `data`. */
  seq: number;
  isScreen: boolean;
}

export interface WatchOptions {
  /** Ids of the terminals; all terminals without it. */
  terminals?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

const RECONNECT_MS = 250;

/**
 * Follows the output of terminals as it is printed, with escape sequences. Each terminal begins with its screen, also
 * after a broken connection. Ends by the signal, whose reason it throws, or when the loop that reads it ends.
 */
export async function* watchOutput(
  requests: Requests,
  { terminals, signal }: WatchOptions = {},
): AsyncGenerator<LiveOutput> {
  const query = { terminals: terminals?.join(), snapshot: 1 };
  for (let isFirst = true; ; isFirst = false) {
    try {
      const socket = await LiveSocket.open(requests, query, signal);
      try {
        for await (const event of socket.events()) {
          signal?.throwIfAborted();
          const { type, terminalId, data, seq = 0, cols } = event;
          if (type === 'stream.ended') throw refusedBy(event);
          if (type !== 'output.data') continue;
          yield { terminalId, data: String(data.content), seq, isScreen: cols !== undefined };
        }
      } finally {
        socket.close();
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (isFirst || !mayReconnect(error)) throw error;
    }
    await requests.pause(RECONNECT_MS, signal);
  }
}
