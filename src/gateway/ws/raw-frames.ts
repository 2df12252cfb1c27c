import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { WebSocket } from 'ws';
import { frameHeaderBytes } from '../../workers/shard/frame-header.js';
import { descriptorOf } from '../descriptor.js';
import type { SendNow } from './direct-send.js';

/** Private fields of ws. */
interface Internals {
  _socket?: Socket | null;
  _sender?: { _state?: unknown };
}

/** The sender's state in which it has written everything it was given: it neither compresses nor waits for anything. */
const SENDER_IDLE = 0;

const TEXT = { binary: false };

/**
 * Writes a WebSocket message that already starts with its frame header, as shards make them, after everything that ws
 * was given before. ws itself would make a header for each client and write it separately. If the private fields of ws
 * are not as expected, or ws still has something to write, ws gets the payload and frames it itself.
 *
 * @param done - called once the message has left the process or can no longer do so; not called if the result is true
 * @param sendNow - bypasses Node's stream while that has nothing to write
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

/** Returns how many bytes the kernel took; none unless a direct send equals what the stream's next write would do. */
function sendDirectly(socket: Socket, frame: Buffer, sendNow: SendNow): number {
  if (socket.writableLength > 0 || !socket.writable || socket instanceof TLSSocket) return 0;
  const fd = descriptorOf(socket);
  return fd < 0 ? 0 : sendNow(fd, frame);
}
