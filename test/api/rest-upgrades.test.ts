import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { type Api, createApi } from '../support/http.js';
import { type Service, startService, within } from '../support/service.js';

const DEADLINE_MS = 10_000;

let service: Service;
let api: Api;
beforeAll(async () => {
  service = await startService();
  api = createApi(service.url);
});
afterAll(() => service?.stop());

function connected(): Socket {
  const { hostname, port } = new URL(service.url);
  return connect(Number(port), hostname).setEncoding('latin1');
}

/** Sends the text as it is; resolves with everything received until the connection ends. */
async function talk(text: string): Promise<string> {
  const socket = connected();
  let answer = '';
  socket.on('data', (chunk: string) => {
    answer += chunk;
  });
  socket.write(text, 'latin1');
  await within(DEADLINE_MS, once(socket, 'close'), () => `the connection stays open after ${answer}`);
  return answer;
}

/** Headers with which clients of HTTP/2, such as those of Java, begin on a server that they do not know. */
const h2c = {
  connection: 'Upgrade, HTTP2-Settings',
  upgrade: 'h2c',
  'http2-settings': 'AAMAAABkAAQCAAAAAAIAAAAA',
};

describe('a request that offers another protocol than WebSocket is served as if it did not', () => {
  test('without a body', async () => {
    const { status, body } = await api.raw({ path: '/health', headers: h2c });
    expect([status, JSON.parse(body)]).toEqual([200, expect.objectContaining({ status: 'ok' })]);
  });

  test.each([20, 300_000])('with a body of %i characters', async (length) => {
    const headers = { ...h2c, 'content-type': 'application/json' };
    const sent = JSON.stringify({ command: ['cat'], name: 'offered', unknown: 'x'.repeat(length) });
    const { status, body } = await api.raw({ method: 'POST', path: '/api/terminals', headers, body: sent });
    const created = JSON.parse(body) as Terminal;
    expect([status, created.name]).toEqual([200, 'offered']);
    await api.delete(`/api/terminals/${created.id}`);
  });

  test('and so are the next requests of its connection', async () => {
    const head = 'GET /health HTTP/1.1\r\nHost: localhost\r\n';
    const offer = `${head}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`;
    const answer = await talk(`${offer}${head}Connection: close\r\n\r\n`);
    expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  });

  test('after the same checks', async () => {
    const foreign = await api.raw({
      path: '/api/terminals',
      headers: { ...h2c, origin: 'http://evil.example' },
    });
    expect(foreign.status).toBe(403);
    const rebound = await api.raw({ path: '/api/terminals', headers: { ...h2c, host: 'evil.example' } });
    expect(rebound.status).toBe(403);
  });

  test('and ends where it asks for that', async () => {
    const head = 'GET /health HTTP/1.1\r\nHost: localhost\r\n';
    const answer = await talk(`${head}Connection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
  });
});

describe('an upgrade behind a request that has no answer yet', () => {
  const first = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const handshake =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

  test('breaks the connection', async () => {
    await talk(`${first}GET /ws HTTP/1.1\r\nHost: localhost\r\n${handshake}`);
  });

  test('does not delay the stop of the service', async () => {
    const other = await startService();
    const { hostname, port } = new URL(other.url);
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket.resume().write(`${first}GET /ws HTTP/1.1\r\nHost: localhost\r\n${handshake}`);
    // A request of another connection is answered after these were read.
    await createApi(other.url).get('/health');
    expect(await other.kill('SIGTERM')).toBe(0);
    socket.destroy();
    await other.stop();
  });
});
