import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { frameHeaderBytes } from '../../workers/shard/frame-header.js';

/** What ws keeps to itself. */
interface Internals {
  _socket?: Socket | null;
  _sender?: { _state?: unknown };
}

/** The sender's state in which it has written all that it was given: it neither compresses nor waits for anything. */
const SENDER_IDLE = 0;

const TEXT = { binary: false };

/**
 * Writes a WebSocket message whose header stands before it already, as shards make them, behind all that ws was
 * given before. ws itself would make a header for each client and write it apart. Where its inner parts are not as
 * they are known to be, or it has something to write yet, ws is given the payload and does it its own way.
 *
 * @param done - called once the message has left the process, or cannot any more
 */
export function writeFrame(client: WebSocket, frame: Buffer, done: () => void): void {
  const { _socket: socket, _sender: sender } = client as unknown as Internals;
  if (client.readyState === client.OPEN && socket && sender?._state === SENDER_IDLE)
    socket.write(frame, done);
  else client.send(frame.subarray(frameHeaderBytes(frame)), TEXT, done);
}
