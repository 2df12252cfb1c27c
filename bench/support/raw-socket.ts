import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Arena } from './arena.js';
import { Marker } from './marker.js';

export interface RawSocketOptions {
  port: number;
  /** What is said at the beginning: a request in HTTP, or nothing. */
  request: string;
  /** Text with which the stream begins. */
  ready: string;
  /** Text near the end of the stream. */
  end: string;
  /** Reads no faster than this. */
  bytesPerSecond?: number;
  /** Called after each read. */
  onRead?: () => void;
}

/** A slow reader reads this often at most. */
const PAUSE_MS = 20;

/**
 * A client that does as little as can be done: it reads into the arena, and looks for two texts. A WebSocket library
 * would unpack each frame on the same two cores that the sender needs. It answers no ping, which the service puts up with
 * for as long as the client takes output, or a minute.
 */
export class RawSocket {
  readonly #socket: Socket;
  /** Resolves when the end of the stream has come; fails when the connection ends without. */
  readonly ended: Promise<void>;

  private constructor(socket: Socket, ended: Promise<void>) {
    this.#socket = socket;
    this.ended = ended;
  }

  /** Connects, and resolves when the stream has begun. */
  static async open(arena: Arena, options: RawSocketOptions): Promise<RawSocket> {
    // More than its beginning may come with it.
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
      // False stops the reading.
      return ms === 0;
    };
    const onread = { buffer: () => arena.room(), callback };
    const socket = connect({ host: '127.0.0.1', port: options.port, onread });
    await once(socket, 'connect');
    socket.write(options.request);
    const closed = once(socket, 'close').then(() => Promise.reject(new Error('the stream ended early')));
    await Promise.race([ready.seen, closed]);
    const ended = Promise.race([end.seen, closed]);
    // Whoever waits for it hears of a failure; a stream that nobody waits for may be cut.
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

/** Tells after each read for how many milliseconds not to read. */
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

/** What a WebSocket client says first. */
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
