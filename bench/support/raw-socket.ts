import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Arena } from './arena.js';
import { Marker } from './marker.js';

export interface RawSocketOptions {
  port: number;
  /** Text sent at the beginning: an HTTP request, or nothing. */
  request: string;
  /** Text at the beginning of the stream. */
  ready: string;
  /** Text near the end of the stream. */
  end: string;
  /** Limit of the reading rate; none when absent. */
  bytesPerSecond?: number;
  /** Called after each read. */
  onRead?: () => void;
}

/** Shortest pause of a slow reader between two reads. */
const PAUSE_MS = 20;

/**
 * A client with the least possible work: it reads into the arena, and searches for two texts. A WebSocket library would
 * unpack each frame on the same two cores that the sender needs. The client answers no ping, which the service
 * tolerates while the client takes output, or for a minute.
 */
export class RawSocket {
  readonly #socket: Socket;
  /** Resolves when the end of the stream has come. Rejects if the connection ends before. */
  readonly ended: Promise<void>;

  private constructor(socket: Socket, ended: Promise<void>) {
    this.#socket = socket;
    this.ended = ended;
  }

  /** Connects. Resolves when the stream has begun. */
  static async open(arena: Arena, options: RawSocketOptions): Promise<RawSocket> {
    // Searches whole reads, since more of the stream may come together with its beginning.
    const ready = new Marker(options.ready, Number.POSITIVE_INFINITY);
    const end = new Marker(options.end);
    const delay = pacer(options.bytesPerSecond);
    const callback = (length: number, bytes: Uint8Array) => {
      ready.look(bytes, length);
      end.look(bytes, length);
      arena.length += length;
      options.onRead?.();
      const ms = delay(length);
      if (ms > 0) setTimeout(() => socket.resume(), ms);
      // False pauses the socket.
      return ms === 0;
    };
    const onread = { buffer: () => arena.room(), callback };
    const socket = connect({ host: '127.0.0.1', port: options.port, onread });
    await once(socket, 'connect');
    socket.write(options.request);
    const closed = once(socket, 'close').then(() => Promise.reject(new Error('the stream ended early')));
    await Promise.race([ready.seen, closed]);
    const ended = Promise.race([end.seen, closed]);
    // A failure is an error only for a caller that waits for the end.
    ended.catch(() => {});
    return new RawSocket(socket, ended);
  }

  async close(): Promise<void> {
    if (this.#socket.closed) return;
    const closed = once(this.#socket, 'close');
    this.#socket.destroy();
    await closed;
  }
}

/** Returns a function that is called after each read, and returns for how many milliseconds to pause. */
function pacer(bytesPerSecond = Number.POSITIVE_INFINITY): (length: number) => number {
  let begin: number | undefined;
  let read = 0;
  return (length) => {
    begin ??= performance.now();
    read += length;
    const ahead = (read / bytesPerSecond) * 1000 - (performance.now() - begin);
    return ahead > 0 ? Math.max(PAUSE_MS, ahead) : 0;
  };
}

/** Returns the upgrade request of a WebSocket client. */
export function upgradeRequest(port: number, path: string): string {
  return [
    `GET ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${Buffer.from('the bench of sixteen').subarray(0, 16).toString('base64')}`,
    '\r\n',
  ].join('\r\n');
}
