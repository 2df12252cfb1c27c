import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { frameHeaderBytes } from '../../workers/shard/frame-header.js';

/** Private fields of ws. */
interface Internals {
  _socket?: Socket | null;
  _sender?: { _state?: unknown };
}

/** The sender's state when it has written everything: it neither compresses nor waits for anything. */
const SENDER_IDLE = 0;

const TEXT = { binary: false };

/**
 * Writes a WebSocket message that already starts with its frame header, as shards make them, after everything that ws
 * got before. ws itself would make a header for each client and write it separately. If the private fields of ws are
 * not as expected, or ws still has something to write, ws gets the payload and frames it itself.
 *
 * @param done - called once the message has left the process or can no longer do so
 */
export function writeFrame(client: WebSocket, frame: Buffer, done: () => void): void {
  const { _socket: socket, _sender: sender } = client as unknown as Internals;
  if (client.readyState !== client.OPEN || !socket || sender?._state !== SENDER_IDLE) {
    client.send(frame.subarray(frameHeaderBytes(frame)), TEXT, done);
  } else socket.write(frame, done);
}
