import { randomBytes } from 'node:crypto';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { NotUnderstoodError } from '../errors.js';
import { failureOf } from '../refusal.js';
import type { WireSocket } from '../transport.js';
import { CLOSE, clientFrame, FrameReader, PING, PONG, TEXT } from './frames.js';

/** Most bytes read of the answer to a refused upgrade. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/** Time for the other end to close its side: a service that hangs would keep the connection, and the program, forever. */
const CLOSE_MS = 5_000;

/**
 * Time without a byte after which the service counts as gone: three of its pings. A connection whose other end has gone
 * without notice, as after a sleep of the computer, otherwise stays open forever.
 */
const SILENT_MS = 90_000;

/** Returns the headers of a request that asks for a WebSocket. */
export function upgradeHeaders(): Record<string, string> {
  return {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  };
}

/**
 * Opens the WebSocket that a request asks for. Node 20 has no WebSocket client, and that of later versions cannot use
 * unix sockets. Rejects with ApiError if the service refuses the upgrade, and with the errors of node:http.
 */
export function socketFrom(sent: ClientRequest, silentMs = SILENT_MS): Promise<WireSocket> {
  return new Promise((resolve, reject) => {
    sent.once('error', reject);
    sent.once('upgrade', (_answer, socket: Socket, head: Buffer) =>
      resolve(socketOf(socket, head, silentMs)),
    );
    sent.once('response', (incoming) => void refused(incoming).then(reject, reject));
    sent.end();
  });
}

async function refused(incoming: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_REFUSAL_BYTES) break;
  }
  return failureOf(incoming.statusCode ?? 0, {}, text);
}

function socketOf(socket: Socket, head: Buffer, silentMs: number): WireSocket {
  socket.setNoDelay(true);
  // The messages end on any error; no separate report is needed.
  socket.on('error', () => {});
  const close = () => {
    if (!socket.writable) return;
    socket.end(clientFrame(CLOSE, Buffer.alloc(0)));
    const timer = setTimeout(() => socket.destroy(), CLOSE_MS).unref();
    socket.once('close', () => clearTimeout(timer));
  };
  let closeCode: number | undefined;
  const messages = messagesOf(socket, {
    head,
    silentMs,
    onClose: (code) => {
      closeCode = code;
    },
  });
  return {
    send: (text) => void socket.write(clientFrame(TEXT, Buffer.from(text))),
    messages,
    close,
    get closeCode() {
      return closeCode;
    },
  };
}

/** Reads no faster than its caller, so that the service detects a slow client. */
async function* messagesOf(
  socket: Socket,
  { head, silentMs, onClose }: { head: Buffer; silentMs: number; onClose: (code: number) => void },
): AsyncGenerator<string> {
  const reader = new FrameReader();
  const silence = setTimeout(() => {
    // Unread bytes are a sign of the service: its client is slow.
    if (socket.readableLength > 0) silence.refresh();
    else socket.destroy();
  }, silentMs);
  if (head.length > 0) socket.unshift(head);
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      silence.refresh();
      for (const { kind, payload } of reader.read(chunk)) {
        if (kind === TEXT) yield payload.toString();
        else if (kind === PING) socket.write(clientFrame(PONG, payload));
        else if (kind === CLOSE) {
          if (payload.length >= 2) onClose(payload.readUInt16BE());
          return;
        }
      }
    }
  } catch (error) {
    // If the connection broke, its messages end here.
    if (!(error instanceof Error) || error instanceof NotUnderstoodError) throw error;
  } finally {
    clearTimeout(silence);
    socket.destroy();
  }
}
