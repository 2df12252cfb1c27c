// The guard of the API protects MCP, too.
import { expect, onTestFinished, test } from 'vitest';
import { works } from '../support/every-tool.js';
import { ask, elsewhere, patch } from '../support/exposed.js';
import { failed } from '../support/failed.js';
import { type Answer, createApi, type RawRequest } from '../support/http.js';
import { connect, startSidecar } from '../support/mcp.js';
import { rpc, sessionOf } from '../support/mcp-raw.js';
import { startService } from '../support/service.js';
import { useSidecar } from '../support/use-sidecar.js';

const used = useSidecar();
const origin = () => new URL(used.sidecar.url).origin;

const ACCEPT = { accept: 'application/json, text/event-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };
const CREATE = {
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name: 'create_terminal', arguments: { profile: 'bash' } },
};

/** Any request to the tool server, with a loopback Host unless the headers name another. */
function send(request: RawRequest): Promise<Answer<string>> {
  return createApi(origin(), { unchecked: true }).raw(request);
}

/** Requests that would create a terminal, open a stream and end the session, with these headers. */
function tryAll(session: string, headers: Record<string, string>): Promise<Answer<string>[]> {
  const given = { ...ACCEPT, 'mcp-session-id': session, ...headers };
  return Promise.all([
    send({ method: 'POST', path: '/mcp', headers: { ...JSON_TYPE, ...given }, body: JSON.stringify(CREATE) }),
    send({ method: 'GET', path: '/mcp', headers: given }),
    send({ method: 'DELETE', path: '/mcp', headers: given }),
  ]);
}

async function terminals(): Promise<number> {
  const { body } = await used.api.get<{ terminals: object[] }>('/api/terminals');
  return body.terminals.length;
}

/** Checks that nothing was created, and that the session is open, without a stream. */
async function expectNothingHappened(session: string, before: number): Promise<void> {
  expect(await terminals()).toBe(before);
  expect((await rpc(used.sidecar.url, { method: 'ping' }, { session })).result).toEqual({});
  const leave = new AbortController();
  const headers = { accept: 'text/event-stream', 'mcp-session-id': session };
  expect((await fetch(used.sidecar.url, { headers, signal: leave.signal })).status).toBe(200);
  leave.abort();
}

const FOREIGN: Record<string, string>[] = [
  { host: 'evil.example' },
  { host: 'evil.example:42032' },
  { host: '127.0.0.1.evil.example' },
  { host: '192.168.0.1:42032' },
  { host: '' },
  { origin: 'http://evil.example' },
  { origin: 'http://localhost:1' },
  { origin: 'https://localhost' },
  { origin: 'null' },
];
test.each(FOREIGN)('a foreign %o is refused with 403, and nothing happens', async (foreign) => {
  const session = await sessionOf(used.sidecar.url);
  const before = await terminals();
  for (const { status, body, headers } of await tryAll(session, foreign)) {
    expect(status).toBe(403);
    expect(JSON.parse(body)).toEqual(failed());
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  }
  expect((await send({ path: '/health', headers: foreign })).status).toBe(403);
  await expectNothingHappened(session, before);
});

test.each([
  ['text/plain', 403],
  ['text/plain;charset=application/json', 403],
  ['application/x-www-form-urlencoded', 403],
  ['multipart/form-data; boundary=x', 403],
  ['application/xml', 415],
  ['application/json-patch+json', 415],
  [undefined, 415],
])('a body of the type %s is refused with %i, and nothing happens', async (type, status) => {
  const session = await sessionOf(used.sidecar.url);
  const before = await terminals();
  const body = JSON.stringify(CREATE);
  const length = { 'content-length': `${body.length}` };
  const headers = { ...ACCEPT, ...length, 'mcp-session-id': session, ...(type && { 'content-type': type }) };
  for (const method of ['POST', 'DELETE']) {
    expect((await send({ method, path: '/mcp', headers, body })).status).toBe(status);
  }
  await expectNothingHappened(session, before);
});

test.each(['127.0.0.1', 'localhost'])(
  'a page of its own port at %s may send requests, and read the answers',
  async (name) => {
    const page = `http://${name}:${new URL(origin()).port}`;
    const session = await sessionOf(used.sidecar.url);
    const answer = await fetch(used.sidecar.url, {
      method: 'POST',
      headers: { ...ACCEPT, ...JSON_TYPE, origin: page, 'mcp-session-id': session },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe(page);
    expect(answer.headers.get('access-control-expose-headers')).toContain('mcp-session-id');
    expect(await answer.text()).toContain('list_terminals');
  },
);

const preflight = (page: string) => ({
  ...{ origin: page, 'access-control-request-method': 'POST' },
  'access-control-request-headers': 'content-type,mcp-session-id,mcp-protocol-version',
});

test('a preflight is granted only to its own page', async () => {
  const own = await send({ method: 'OPTIONS', path: '/mcp', headers: preflight(origin()) });
  expect(own.status).toBe(204);
  expect(own.headers['access-control-allow-origin']).toBe(origin());
  for (const name of [
    'Content-Type',
    'Authorization',
    'Mcp-Session-Id',
    'Mcp-Protocol-Version',
    'Last-Event-Id',
  ]) {
    expect(own.headers['access-control-allow-headers']).toContain(name);
  }
  expect(own.headers['access-control-allow-methods']).toContain('DELETE');
  const foreign = await send({ method: 'OPTIONS', path: '/mcp', headers: preflight('http://evil.example') });
  expect(foreign.status).toBe(403);
});

test('an origin of the setting network.allowedOrigins may call the tool server of the service', async () => {
  const service = await startService({ mcp: true });
  onTestFinished(() => service.stop());
  const page = 'https://pages.example';
  const url = service.mcpUrl!;
  const session = await sessionOf(url);
  const options = { session, headers: { origin: page } };
  expect((await rpc(url, { method: 'ping' }, options)).status).toBe(403);
  expect((await patch(service.url, { network: { allowedOrigins: [page] } })).status).toBe(200);
  expect((await rpc(url, { method: 'ping' }, options)).result).toEqual({});
  const asked = await fetch(url, { method: 'OPTIONS', headers: preflight(page) });
  expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, page]);
});

test('MCP_HOST=0.0.0.0: only the token opens it; /health needs none', async () => {
  const token = 'a-token-of-its-own';
  const sidecar = await startSidecar({
    apiUrl: used.service.url,
    env: { MCP_HOST: '0.0.0.0', AUTO_TERMINAL_TOKEN: token },
  });
  onTestFinished(() => sidecar.stop());
  for (const url of [sidecar.url, elsewhere(sidecar.url)]) {
    for (const authorization of ['', 'Bearer', 'Bearer wrong', `Basic ${token}`, token]) {
      for (const method of ['POST', 'GET', 'DELETE'] as const) {
        const message = method === 'POST' ? CREATE : undefined;
        const answer = await rpc(url, message, { method, session: 'some', headers: { authorization } });
        expect([answer.status, answer.messages]).toEqual([
          401,
          [
            expect.objectContaining({
              ...{ error: 'unauthorized', code: 'unauthorized' },
              error_description: expect.stringContaining('Authorization: Bearer'),
            }),
          ],
        ]);
      }
    }
    const health = await ask(new URL(url).origin, '/health');
    expect([health.status, JSON.parse(health.text!).app]).toEqual([200, 'auto-terminal-mcp']);
    await expect(connect(url)).rejects.toThrow('unauthorized');
    const client = await connect(url, { headers: { authorization: `Bearer ${token}` } });
    await works(client, 'list_terminals');
    // A page elsewhere may know the token, and is refused all the same.
    const page = { authorization: `Bearer ${token}`, origin: 'http://evil.example' };
    expect((await rpc(url, CREATE, { session: 'some', headers: page })).status).toBe(403);
  }
  expect(await terminals()).toBe(0);
});
