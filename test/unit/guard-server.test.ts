import { once } from 'node:events';
import { connect } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configOf } from '#dist/config/settings.js';
import { useIdempotencyKeys } from '#dist/gateway/idempotency.js';
import { LocalUsers } from '#dist/gateway/local-users/local-users.js';
import { LongPolls } from '#dist/gateway/long-polls.js';
import { registerBatch } from '#dist/gateway/routes/batch.js';
import { registerExecute } from '#dist/gateway/routes/execute.js';
import { registerHealth } from '#dist/gateway/routes/health.js';
import { registerTerminalIo } from '#dist/gateway/routes/terminal-io.js';
import { type ListsPort, registerTerminals } from '#dist/gateway/routes/terminals.js';
import { createGateway } from '#dist/gateway/server.js';
import { creatorFor } from '../support/creator.js';
import { type Api, createApi, type Failure } from '../support/http.js';
import { noScreens, noTerminals, unknown } from '../support/no-terminals.js';
import { openAccess } from '../support/open-access.js';
import { newOperations } from '../support/operations.js';
import { anonymousWriters } from '../support/writers.js';

/** A service without terminals, whose list fails as only a bug can. */
const noLists: ListsPort = {
  plain() {
    throw new Error('secret at /home/somebody/x.ts');
  },
  full: async () => ({ terminals: [], next: null }),
};
const settings = { network: { allowedOrigins: ['https://panel.example'] } };
const config = configOf(settings, { platform: 'linux', cores: 2 });
if (typeof config === 'string') throw new Error(config);
const lines: string[] = [];
const logger = pino({}, { write: (line: string) => void lines.push(line) });
const app = createGateway({
  access: openAccess(),
  users: new LocalUsers({ uid: undefined }),
  config: () => config,
  instanceId: 'i-1',
  logger,
  registerWebSocket: () => {},
  registerRoutes: (routes) => {
    registerHealth(routes, 'i-1', () => ({ search: 'feeding', recordings: 'open' }));
    const keys = useIdempotencyKeys(routes, newOperations());
    const polls = new LongPolls(routes);
    const creator = creatorFor(routes, noTerminals, keys);
    registerTerminals(routes, noTerminals, noLists, { told: () => undefined }, keys, creator);
    const sizes = { resize: async () => unknown() };
    const typing = {
      ...{ terminals: noTerminals, screens: noScreens, cliTypes: () => config.cliTypes, keys, polls },
      writers: anonymousWriters(),
    };
    registerTerminalIo(routes, { ...typing, sizes });
    registerExecute(routes, typing);
    registerBatch(routes, typing);
  },
});
let api: Api;

beforeAll(async () => {
  api = createApi(await app.listen({ port: 0, host: '127.0.0.1' }));
});
afterAll(() => app.close());

const json = { 'content-type': 'application/json' };
const errorOf = (text: string): string => (JSON.parse(text) as Failure).error;

/** Sends bytes as they are and returns all bytes received until the server closes. */
async function talk(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  socket.write(bytes);
  await once(socket, 'close');
  return answer;
}

describe('callers', () => {
  test.each(['/health', '/api/health', '/api/terminals', '/nowhere'])('a foreign Host, %s', async (path) => {
    const { status, body } = await api.raw({ path, headers: { host: 'evil.com' } });
    expect(status).toBe(403);
    expect(errorOf(body)).toContain('Host');
  });

  test('no Host at all', async () => {
    expect(await talk('GET /health HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
    expect(await talk('GET /health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
  });

  test('a foreign Origin', async () => {
    for (const origin of ['http://evil.com', 'null', api.url]) {
      const { status, body } = await api.raw({ path: '/health', headers: { origin } });
      expect([status, errorOf(body)]).toEqual([403, expect.stringContaining('Origin')]);
    }
  });

  test('an allowed Origin may read the answer and send JSON', async () => {
    const origin = 'https://panel.example';
    const read = await api.raw({ path: '/health', headers: { origin } });
    expect([read.status, read.headers['access-control-allow-origin']]).toEqual([200, origin]);
    const headers = { origin, 'access-control-request-method': 'POST' };
    const preflight = await api.raw({ method: 'OPTIONS', path: '/api/terminals', headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-headers']).toContain('Content-Type');
  });

  test('a foreign page gets no preflight', async () => {
    const headers = { origin: 'http://evil.com', 'access-control-request-method': 'POST' };
    const { status, headers: got } = await api.raw({ method: 'OPTIONS', path: '/api/terminals', headers });
    expect([status, got['access-control-allow-origin']]).toEqual([403, undefined]);
  });

  test('an upgrade that is refused is closed', async () => {
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
    const answer = await talk(
      `GET /ws HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.com\r\n${upgrade}\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 403 /);
  });
});

describe('bodies', () => {
  const post = (body: string, headers: Record<string, string> = json, path = '/api/terminals') =>
    api.raw({ method: 'POST', path, headers, body });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    '%s is 403',
    async (type) => {
      const { status, body } = await post('{}', { 'content-type': type });
      const fix = expect.stringContaining('Content-Type: application/json');
      const told = { error: 'The body is not declared as JSON', code: 'form-not-allowed', fix };
      expect([status, JSON.parse(body)]).toEqual([403, told]);
    },
  );

  test.each(['application/xml', 'json'])('%s is 415', async (type) => {
    expect((await post('{}', { 'content-type': type })).status).toBe(415);
  });

  test.each(['{', '{"cols":}', '\u0000', '{"__proto__":{"x":1}}', '{"constructor":{"prototype":{}}}', 'nul'])(
    'malformed: %j',
    async (text) => {
      const { status, body } = await post(text);
      expect([status, errorOf(body)]).toEqual([400, expect.stringContaining('valid JSON')]);
    },
  );

  test('nested deeper than any stack', async () => {
    const { status, body } = await post('['.repeat(500_000) + ']'.repeat(500_000));
    expect([status, errorOf(body)]).toEqual([400, expect.stringContaining('body: ')]);
  });

  test('9 MiB', async () => {
    const huge = `{"name":"${'x'.repeat(9 * 1024 * 1024)}"}`;
    for (let run = 0; run < 5; run += 1) {
      const { status, body } = await post(huge);
      expect([status, errorOf(body)]).toEqual([413, 'Request body is too large']);
    }
    const chunked = await post(huge, { ...json, 'transfer-encoding': 'chunked' });
    expect(chunked.status).toBe(413);
    const fetched = await api.post<Failure>('/api/terminals', { name: 'x'.repeat(9 * 1024 * 1024) });
    expect(fetched).toMatchObject({ status: 413, body: { error: 'Request body is too large' } });
  });

  test('an empty body counts as absent, whatever its content type', async () => {
    for (const text of ['', ' \n']) {
      expect(errorOf((await post(text)).body)).toBe('Not a folder: /nowhere');
    }
    const { status, body } = await api.raw({ method: 'DELETE', path: '/api/terminals/x', headers: json });
    expect([status, errorOf(body)]).toEqual([404, 'Terminal not found']);
    expect(errorOf((await post('', json, '/api/terminals/x/input')).body)).toMatch(/^body: /);
  });
});

describe('answers', () => {
  test("a request id on each, the client's own if it is valid", async () => {
    const own = await api.raw({ path: '/health', headers: { 'x-request-id': 'abc-1' } });
    expect(own.headers['x-request-id']).toBe('abc-1');
    const unfit = ['a b', 'x'.repeat(200), '"', '{}'];
    for (const id of unfit) {
      const { headers } = await api.raw({ path: '/nowhere', headers: { 'x-request-id': id } });
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
    const refused = await api.raw({ path: '/health', headers: { host: 'evil.com' } });
    expect(refused.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('a bug reveals only its request id, which the log has too', async () => {
    const { status, body, headers } = await api.raw({ path: '/api/terminals?status=all' });
    const told = { error: 'Internal error', code: 'internal', fix: expect.stringContaining('x-request-id') };
    expect([status, JSON.parse(body)]).toEqual([500, told]);
    expect(lines.join()).toContain(String(headers['x-request-id']));
    expect(lines.join()).toContain('secret at');
  });

  test('unknown routes and methods', async () => {
    for (const path of ['/', '/api/terminals/a/b']) {
      const { status, body } = await api.raw({ path });
      expect([status, errorOf(body)]).toEqual([404, 'Not found']);
    }
    expect((await api.raw({ method: 'PUT', path: '/api/terminals/a' })).status).toBe(405);
  });

  test.each([
    'a%2Fb',
    '%2e%2e%2fetc',
    '__proto__',
    'constructor',
    '%00',
    '%F0%9F%99%82',
    'x'.repeat(8_000),
    '%20',
  ])('the id %s is unknown', async (id) => {
    const { status, body } = await api.raw({ path: `/api/terminals/${id}` });
    expect([status, errorOf(body)]).toEqual([404, 'Terminal not found']);
  });

  test('a broken escape in the path', async () => {
    for (const path of ['/api/terminals/%', '/api/terminals/%ff', '/api/terminals/%zz/output']) {
      const { status, body, headers } = await api.raw({ path });
      expect([status, errorOf(body)]).toEqual([400, expect.stringContaining('valid url')]);
      expect(headers['x-request-id']).toBeDefined();
    }
  });

  test('invalid HTTP', async () => {
    const broken = await talk('BREW /pot HTCPCP/1.0\r\n\r\n');
    expect(broken).toMatch(/^HTTP\/1.1 400 .*\{"error":"Bad Request","code":"bad-request"\}$/s);
    const large = await talk(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`);
    expect(large).toMatch(/^HTTP\/1.1 431 .*\{"error":"Request Header Fields Too Large","code":.*\}$/s);
  });
});
