import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Connections } from '../../src/workers/fleet-link/connections.js';

let server: Server | undefined;
afterEach(() => server?.close());

/**
 * Starts a server that acts as nats-server at a login: it refuses the first `count` logins, and accepts the others.
 * Resolves with its port, and with a function that returns the number of logins.
 */
async function refusing(count: number) {
  let logins = 0;
  const info = { server_id: 'x', version: '2.9.10', proto: 1, max_payload: 2 ** 20, headers: true };
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
    socket.on('data', (data) => {
      const text = data.toString();
      const isRefused = text.includes('CONNECT ') && ++logins <= count;
      if (isRefused) socket.end("-ERR 'Authorization Violation'\r\n");
      else if (text.includes('PING\r\n')) socket.write('PONG\r\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, logins: () => logins };
}

/** Resolves with the first state that is reported of a connection that is tried once. */
async function firstState(port: number) {
  const servers = [{ host: '127.0.0.1', port }];
  return new Promise<{ state: string; reason: string | undefined }>((resolve) => {
    const connections = new Connections({
      ...{ server: { servers, isOurs: true }, name: 'x', inbox: 'at1.r.x', calls: [], isLasting: false },
      onState: (state, reason) => resolve({ state, reason }),
      onMessage: () => undefined,
    });
    void connections.open();
  });
}

test('a login that is refused while the server reads its configuration is tried again', async () => {
  const { port } = await refusing(2);
  expect((await firstState(port)).state).toBe('connected');
});

test('a login that is refused again and again is refused', async () => {
  const { port, logins } = await refusing(Number.POSITIVE_INFINITY);
  expect(await firstState(port)).toEqual({ state: 'refused', reason: 'Authorization Violation' });
  expect(logins()).toBe(3);
});
