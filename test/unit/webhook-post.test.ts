import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { post } from '#dist/actors/webhooks/post.js';

let server: Server | undefined;
afterEach(() => server?.close());

/** Posts to a receiver that answers with these bytes and keeps the connection, or ends it after none. */
async function answered(bytes: string, timeoutMs = 5_000) {
  server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => (bytes ? socket.write(bytes) : socket.end()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { signal } = new AbortController();
  return post({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}' }, { timeoutMs, signal });
}

describe('an attempt ends', () => {
  it('with its connection: a receiver that does not end its answer has one at a time', async () => {
    const begun = performance.now();
    const result = await answered('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n', 500);
    expect(result).toMatchObject({ status: 200, error: null });
    // It has ended at the time limit, and not as soon as the status had come.
    expect(performance.now() - begun).toBeGreaterThan(490);
  });

  it('with a receiver that switches protocols, which is no delivery', async () => {
    const bytes = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    expect(await answered(bytes)).toMatchObject({ status: 101, error: null });
  });

  it.each([
    ['no byte', ''],
    ['another protocol', 'SSH-2.0-receiver\r\n'],
    ['headers without an end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}`],
  ])('with a receiver that answers with %s', async (_kind, bytes) =>
    expect(await answered(bytes)).toMatchObject({ status: null, error: expect.any(String) }),
  );
});
