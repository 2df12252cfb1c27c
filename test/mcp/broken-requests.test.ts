// Each faulty request of a client gets an answer that names the fault, and other clients are still served.
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { failed } from '../support/failed.js';
import { createApi, type RawRequest } from '../support/http.js';
import { rpc, sessionOf } from '../support/mcp-raw.js';
import { processInfo } from '../support/processes.js';
import { INITIALIZE } from '../support/stdio-server.js';
import { useSidecar } from '../support/use-sidecar.js';

const used = useSidecar();
const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

afterEach(async () => {
  expect(processInfo(used.sidecar.pid)).toBeDefined();
  const session = await sessionOf(used.sidecar.url);
  expect((await rpc(used.sidecar.url, { method: 'ping' }, { session })).result).toEqual({});
  expect(used.sidecar.log()).not.toMatch(/"level":(50|60)/);
});

/** Any request within a session of its own. */
async function send(request: Partial<RawRequest>) {
  const session = await sessionOf(used.sidecar.url);
  const api = createApi(new URL(used.sidecar.url).origin, { unchecked: true });
  const headers = { ...HEADERS, 'mcp-session-id': session, ...request.headers };
  return api.raw({ method: 'POST', path: '/mcp', ...request, headers });
}

test.each(['HEAD', 'PUT', 'PATCH', 'OPTIONS'])('%s /mcp answers 405 with Allow', async (method) => {
  const { status, headers } = await send({ method });
  expect([status, headers.allow]).toEqual([405, 'GET, POST, DELETE']);
});

test.each([
  ['GET', '/'],
  ['GET', '/mcp/'],
  ['POST', '/mcp/sessions'],
  ['GET', '/sse'],
  ['GET', '/.well-known/oauth-protected-resource'],
  ['GET', '/api/terminals'],
  ['POST', '/health'],
])('%s %s answers 404', async (method, path) => {
  const { status, body } = await send({ method, path });
  expect([status, JSON.parse(body)]).toEqual([404, failed('Not found')]);
});

test.each([
  ['broken JSON', '{"jsonrpc": "2.0", "id": 1', -32_700],
  ['nothing', '', -32_700],
  ['no JSON', 'hello', -32_700],
  ['null', 'null', -32_700],
  ['a number', '7', -32_700],
  ['an object that is no message', '{"hello": true}', -32_700],
  ['another version', '{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32_700],
  ['an id of null', '{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32_700],
  ['depth', '['.repeat(200_000) + ']'.repeat(200_000), -32_700],
  ['two greetings', JSON.stringify([INITIALIZE, INITIALIZE]), -32_600],
])('%s answers 400 with an error of the protocol', async (_what, body, code) => {
  const answer = await send({ body });
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.body)).toMatchObject({ jsonrpc: '2.0', error: { code }, id: null });
});

test('bytes that are not UTF-8 are refused', async () => {
  const body = Buffer.from([
    ...Buffer.from('{"jsonrpc":"2.0","id":"'),
    0xff,
    0xfe,
    ...Buffer.from('","method":"ping"}'),
  ]);
  const answer = await send({ body });
  expect([answer.status, JSON.parse(answer.body)]).toEqual([400, failed('The body is not valid UTF-8')]);
});

test('a name that JavaScript objects inherit does nothing', async () => {
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_machines","arguments":{"__proto__":{"x":1}}}}`;
  const { status, body: text } = await send({ body });
  expect(status).toBe(200);
  expect(text).toContain('"self":true');
  expect((await send({ body: JSON.stringify({ ...PING, method: '__proto__' }) })).body).toContain('-32601');
  const call = { ...PING, method: 'tools/call', params: { name: 'constructor' } };
  expect((await send({ body: JSON.stringify(call) })).body).toContain('Unknown tool: constructor');
});

test('a batch: an answer to each of its requests', async () => {
  const batch = [
    PING,
    { ...PING, id: 'two', method: 'tools/list' },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { ...PING, id: 3, method: 'no/such' },
  ];
  const { status, body } = await send({ body: JSON.stringify(batch) });
  expect(status).toBe(200);
  const answers = [...body.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!));
  expect(new Map(answers.map(({ id, error }) => [id, error?.code]))).toEqual(
    new Map<unknown, unknown>([
      [1, undefined],
      ['two', undefined],
      [3, -32_601],
    ]),
  );
  const tooMany = await send({ body: JSON.stringify(Array(1_000).fill(PING)) });
  expect([tooMany.status, JSON.parse(tooMany.body).error.code]).toEqual([400, -32_600]);
});

test('a body beyond the limit answers 413', async () => {
  const params = { name: 'execute_command', arguments: { command: 'x'.repeat(32 * 1024 * 1024) } };
  const { status, body } = await send({ body: JSON.stringify({ ...PING, method: 'tools/call', params }) });
  expect([status, JSON.parse(body)]).toEqual([413, failed()]);
});

test.each([
  ['POST', 'application/json'],
  ['POST', 'text/html'],
  ['GET', 'application/json'],
])('%s with Accept: %s answers 406', async (method, accept) => {
  const body = method === 'POST' ? JSON.stringify(PING) : undefined;
  const answer = await send({ method, headers: { accept }, body });
  expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([406, -32_000]);
});

test.each(['*/*', 'text/html, */*;q=0.1', 'application/json, text/event-stream'])(
  'Accept: %s is served',
  async (accept) => {
    const answer = await send({ headers: { accept }, body: JSON.stringify(PING) });
    expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('"result":{}')]);
  },
);

test.each(['1999-01-01', 'latest', ''])(
  'the protocol version %j answers 400 and names the supported ones',
  async (version) => {
    const headers = { 'mcp-protocol-version': version };
    for (const method of ['POST', 'GET', 'DELETE']) {
      const body = method === 'POST' ? JSON.stringify(PING) : undefined;
      const answer = await send({ method, headers, body });
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.body).error.message).toContain('2025-06-18');
    }
  },
);

test('a session resumed with a wrong protocol version is available with a right one', async () => {
  const session = 'taken-up-by-an-old-client';
  const wrong = { session, headers: { 'mcp-protocol-version': '1999-01-01' } };
  expect((await rpc(used.sidecar.url, PING, wrong)).status).toBe(400);
  expect((await rpc(used.sidecar.url, PING, { session })).result).toEqual({});
});

test('DELETE with a content type but without a body', async () => {
  expect((await send({ method: 'DELETE' })).status).toBe(200);
});

test('an upgrade to a WebSocket is refused', async () => {
  const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const { status } = await send({ method: 'GET', headers: { ...headers, accept: 'text/html' } });
  expect(status).toBe(406);
});

test.each([
  ['no HTTP', 'hello\r\n\r\n', 400],
  ['a header too large', `GET /mcp HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  [
    'two lengths',
    'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    400,
  ],
  ['no host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
])('%s is refused', async (_what, bytes, status) => {
  const socket = connectTcp(Number(new URL(used.sidecar.url).port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (text) => {
    answer += text;
  });
  socket.write(bytes);
  await once(socket, 'close');
  expect(answer).toContain(`HTTP/1.1 ${status} `);
});
