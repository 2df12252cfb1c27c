import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, watch } from '../support/http.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Resolves once the connection has closed, for whatever reason. */
const closing = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

/** A socket after the WebSocket handshake, for writing frames that no client library would. */
async function openRaw(): Promise<Socket> {
  const { hostname, port, host } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(
    `GET /ws HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toContain('101 Switching Protocols');
  return socket;
}

/** A client frame: first byte, payload; masked with zeros. */
function frame(first: number, payload: Uint8Array, { masked = true, length = payload.length } = {}): Buffer {
  const mask = masked ? 0x80 : 0;
  const header =
    length < 126
      ? Buffer.from([first, mask | length])
      : Buffer.concat([Buffer.from([first, mask | 127]), Buffer.alloc(8)]);
  if (length >= 126) header.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([header, Buffer.alloc(masked ? 4 : 0), payload]);
}

const text = (content: string) => Buffer.from(content);
const FIN = 0x80;

const BROKEN: Array<[string, Buffer]> = [
  ['reserved bit 1', frame(FIN | 0x40 | 1, text('{}'))],
  ['reserved bit 2', frame(FIN | 0x20 | 1, text('{}'))],
  ['reserved bit 3', frame(FIN | 0x10 | 1, text('{}'))],
  ['unknown opcode 3', frame(FIN | 3, text('{}'))],
  ['unknown opcode 15', frame(FIN | 15, text(''))],
  ['no mask', frame(FIN | 1, text('{}'), { masked: false })],
  ['broken UTF-8', frame(FIN | 1, Buffer.from([0xff, 0xfe, 0xc0]))],
  ['a fragmented ping', frame(9, text('x'))],
  ['a ping of 126 bytes', frame(FIN | 9, Buffer.alloc(126))],
  ['a continuation of nothing', frame(FIN | 0, text('x'))],
  ['a text frame inside a fragmented one', Buffer.concat([frame(1, text('{')), frame(FIN | 1, text('}'))])],
  ['a length above the bound', frame(FIN | 1, text(''), { length: 2 * 1024 * 1024 })],
  ['a length of 2^63', frame(FIN | 1, text(''), { length: Number.MAX_SAFE_INTEGER })],
  ['a close with code 1', frame(FIN | 8, Buffer.from([0, 1]))],
  ['a close with code 1005', frame(FIN | 8, Buffer.from([3, 0xed]))],
  ['a close with one byte', frame(FIN | 8, Buffer.from([3]))],
  ['a close with a broken reason', frame(FIN | 8, Buffer.from([3, 0xe8, 0xff, 0xff]))],
  ['noise', Buffer.from(Array.from({ length: 500 }, (_, index) => (index * 197) % 256))],
];

describe('a broken frame', () => {
  it.each(BROKEN)('%s ends its own connection and nothing else', async (_name, bytes) => {
    const bystander = await watch(service.url);
    const socket = await openRaw();
    const closed = closing(socket);
    socket.resume();
    socket.write(bytes);
    await closed;
    bystander.send({ id: 'alive', type: 'heartbeat' });
    await bystander.until(() => bystander.frames.some(({ id }) => id === 'alive'));
    await bystander.close();
  });

  it('fragments without an end are held within the bound, and dropped with the connection', async () => {
    const socket = await openRaw();
    const closed = closing(socket);
    socket.resume();
    const part = Buffer.alloc(60_000, 0x61);
    socket.write(frame(1, part));
    for (let index = 0; index < 40; index++) socket.write(frame(0, part));
    await closed;
    expect((await createApi(service.url).get('/health')).status).toBe(200);
  });

  it('a connection cut in the middle of a frame harms no other', async () => {
    const socket = await openRaw();
    socket.write(frame(FIN | 1, text('{"id":1'), { length: 100 }));
    socket.destroy();
    await closing(socket);
    expect((await createApi(service.url).get('/health')).status).toBe(200);
  });
});
