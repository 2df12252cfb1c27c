import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { WebSocket } from 'ws';
import { frameHeaderBytes } from '../../workers/shard/frame-header.js';
import type { SendNow } from './direct-send.js';

/** What ws keeps to itself. */
interface Internals {
  _socket?: (Socket & SocketInternals) | null;
  _sender?: { _state?: unknown };
}

/** What Node keeps to itself: the descriptor, -1 once it is closed and its number may be another socket's. */
interface SocketInternals {
  _handle?: { fd?: number } | null;
}

/** The sender's state in which it has written all that it was given: it neither compresses nor waits for anything. */
const SENDER_IDLE = 0;

const TEXT = { binary: false };

/**
 * Writes a WebSocket message whose header stands before it already, as shards make them, behind all that ws was
 * given before. ws itself would make a header for each client and write it apart. Where its inner parts are not as
 * they are known to be, or it has something to write yet, ws is given the payload and does it its own way.
 *
 * @param done - called once the message has left the process, or cannot any more; not where the answer is true
 * @param sendNow - takes the way around Node's stream while that has nothing to write
 * @returns whether the message has left the process already
 */
export function writeFrame(client: WebSocket, frame: Buffer, done: () => void, sendNow?: SendNow): boolean {
  const { _socket: socket, _sender: sender } = client as unknown as Internals;
  if (client.readyState !== client.OPEN || !socket || sender?._state !== SENDER_IDLE) {
    client.send(frame.subarray(frameHeaderBytes(frame)), TEXT, done);
    return false;
  }
  const sent = sendNow ? sendDirectly(socket, frame, sendNow) : 0;
  if (sent === frame.length) return true;
  socket.write(sent === 0 ? frame : frame.subarray(sent), done);
  return false;
}

/** Bytes that the kernel took; none where that would not be exactly what the stream does with its next write. */
function sendDirectly(socket: Socket & SocketInternals, frame: Buffer, sendNow: SendNow): number {
  if (socket.writableLength > 0 || !socket.writable || socket instanceof TLSSocket) return 0;
  const fd = socket._handle?.fd ?? -1;
  return fd < 0 ? 0 : sendNow(fd, frame);
}
