import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'vitest';

export interface DroppedPost {
  path: string;
  /** The Idempotency-Key; none if absent. */
  key?: string;
  body: unknown;
  /** The connection is closed once this resolves; at once when absent. */
  until?: () => Promise<unknown>;
}

/** Sends a POST over a connection of its own, and closes the connection before the answer. */
export async function postAndDrop(url: string, { path, key, body, until }: DroppedPost): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const text = JSON.stringify(body);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\n` +
      (key === undefined ? '' : `Idempotency-Key: ${key}\r\n`) +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
  await until?.();
  socket.destroy();
  await once(socket, 'close');
  // Nothing was read from the socket: the answer, if any, is lost.
  expect(socket.bytesRead).toBe(0);
}
