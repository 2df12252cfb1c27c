import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';

const ends: Array<() => void> = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Resolves with the server's side and the client's side of one connection, which lasts as long as the test. */
export async function connectPair(perMessageDeflate = false) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate });
  const accepted = once(server, 'connection') as Promise<[WebSocket]>;
  await once(server, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const received: string[] = [];
  client.on('message', (data) => received.push(contentOf(String(data))));
  ends.push(() => {
    client.terminate();
    server.close();
  });
  const [[socket]] = await Promise.all([accepted, once(client, 'open')]);
  return { socket, client, received, raw: (socket as unknown as { _socket: Socket })._socket };
}

/** Returns the output of a frame, or the whole text of any other message. */
function contentOf(message: string): string {
  return message.startsWith('{') ? JSON.parse(message).event.data.content : message;
}

/** Resolves once the client has received everything that was written before. */
export async function settled(socket: WebSocket): Promise<void> {
  const isAnswered = (bytes: Buffer) => String(bytes) === 'last';
  const answered = new Promise<void>((resolve) => {
    socket.on('pong', (bytes) => isAnswered(bytes) && resolve());
  });
  socket.ping('last');
  await answered;
}
