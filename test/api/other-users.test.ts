import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { patch } from '../support/exposed.js';
import { type Api, createApi, type Watcher, watch } from '../support/http.js';
import { type Keylog, openKeylog } from '../support/keylog.js';
import { startSidecar } from '../support/mcp.js';
import { asNobody, CAN_BE_ANOTHER_USER } from '../support/other-user.js';
import { type Service, startService } from '../support/service.js';

interface Asked {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: string;
}

interface Answered {
  status: number;
  error?: string;
  fix?: string;
}

const ASK = `
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
const send = ({ method, url, headers, body }) => new Promise((resolve, reject) => {
  const sent = request(url, { method, headers, agent: false }, async (answer) => {
    let text = '';
    for await (const part of answer) text += part;
    let error, fix;
    try { ({ error, fix } = JSON.parse(text)); } catch {}
    resolve({ status: answer.statusCode, error, fix });
  });
  sent.on('upgrade', (answer, socket) => { socket.destroy(); resolve({ status: answer.statusCode }); });
  sent.on('error', reject);
  sent.end(body);
});
const answers = [];
for (const each of await json(process.stdin)) answers.push(await send(each));
console.log(JSON.stringify(answers));`;

const BOTH_JSON = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const UPGRADE = {
  ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

let service: Service;
let api: Api;
let watcher: Watcher;
let keylog: Keylog;

/** The answers that the user nobody gets to these requests, in order. */
const askAsNobody = (asked: Asked[]) => asNobody<Answered[]>(ASK, asked);

/** Every documented operation, on the existing terminal. */
async function documented(): Promise<Asked[]> {
  const { body } = await api.get<{ paths: Record<string, Record<string, object>> }>('/openapi.json');
  const anything = { terminalIds: [keylog.id], data: 'evil', prompt: 'evil', command: 'evil', keys: ['e'] };
  return Object.entries(body.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((name) => {
      const method = name.toUpperCase();
      const url = service.url + path.replace(/\{[^}]*\}/g, keylog.id);
      const hasBody = !['GET', 'DELETE'].includes(method);
      return { method, url, headers: BOTH_JSON, ...(hasBody && { body: JSON.stringify(anything) }) };
    }),
  );
}

/** Checks that no refused input reached the shell: it has read only the test's own input. */
async function expectNothingTyped(): Promise<void> {
  const before = keylog.reads().join('');
  expect(before).not.toContain('e');
  await api.post(`/api/terminals/${keylog.id}/input`, { data: 'ok' });
  expect(await keylog.until(`${before}ok`)).toBe(`${before}ok`);
  expect((await api.get<{ terminals: object[] }>('/api/terminals')).body.terminals).toHaveLength(1);
}

describe.runIf(CAN_BE_ANOTHER_USER)('another user of this machine', () => {
  beforeAll(async () => {
    service = await startService({ mcp: true });
    api = createApi(service.url);
    watcher = await watch(service.url);
    keylog = await openKeylog(api, watcher);
  });
  afterAll(async () => {
    await watcher?.close();
    await service?.stop();
  });

  test('is refused on every documented route, and nothing reaches a shell', async () => {
    const asked = await documented();
    expect(asked.length).toBeGreaterThan(50);
    const answers = await askAsNobody(asked);
    const served = asked.flatMap(({ method, url }, index) => {
      const { status, error } = answers[index]!;
      return status === 403 && error !== undefined ? [] : [`${method} ${url}: ${status}`];
    });
    expect(served).toEqual([]);
    await expectNothingTyped();
  });

  test('is refused on upgrades, unknown routes, preflights and the MCP server alike', async () => {
    const mcp = new URL(service.mcpUrl!);
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };
    const asked: Asked[] = [
      ...['/ws', '/api/ws'].map((path) => ({ method: 'GET', url: service.url + path, headers: UPGRADE })),
      { method: 'GET', url: `${service.url}/nowhere` },
      { method: 'GET', url: `${service.url}/%zz` },
      { method: 'GET', url: `${service.url}/health` },
      { method: 'POST', url: mcp.href, headers: BOTH_JSON, body: JSON.stringify(initialize) },
      { method: 'GET', url: mcp.href, headers: BOTH_JSON },
      { method: 'DELETE', url: mcp.href, headers: BOTH_JSON },
      { method: 'GET', url: `${mcp.origin}/health` },
    ];
    const answers = await askAsNobody(asked);
    expect(answers.map(({ status }) => status)).toEqual(asked.map(() => 403));
    expect(answers[0]?.fix).toContain('network.localUsers');
    await expectNothingTyped();
  });

  test('is refused even if it has disconnected before anything looks', async () => {
    const body = JSON.stringify({ data: 'evil' });
    const head = `POST /api/terminals/${keylog.id}/input HTTP/1.1\r\nHost: localhost\r\n`;
    const request = `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const script = `
      import { connect } from 'node:net';
      import { json } from 'node:stream/consumers';
      const { port, request } = await json(process.stdin);
      for (let round = 0; round < 50; round += 1) {
        await new Promise((resolve) => {
          const socket = connect(port, '127.0.0.1', () => socket.end(request, () => socket.destroy()));
          socket.on('close', resolve).on('error', () => {});
        });
      }
      console.log('null');`;
    await asNobody(script, { port: Number(new URL(service.url).port), request });
    await expectNothingTyped();
  });

  test('is served once the setting allows it, and disconnected once it no longer does', async () => {
    const health = [service.url, new URL(service.mcpUrl!).origin].map((origin) => {
      return { method: 'GET', url: `${origin}/health` };
    });
    const statuses = async () => (await askAsNobody(health)).map(({ status }) => status);
    expect((await patch(service.url, { network: { localUsers: 'any' } })).status).toBe(200);
    expect(await statuses()).toEqual([200, 200]);
    const script = `
      import { connect } from 'node:net';
      import { json } from 'node:stream/consumers';
      const { port, upgrade } = await json(process.stdin);
      const socket = connect(port, '127.0.0.1', () => socket.write(upgrade));
      // The test sees this socket in the service's count of stream clients.
      socket.on('data', () => {}).on('error', () => {}).on('close', () => { console.log('"closed"'); });`;
    const upgrade = `GET /ws HTTP/1.1\r\nHost: localhost\r\n${Object.entries(UPGRADE)
      .map((header) => header.join(': '))
      .join('\r\n')}\r\n\r\n`;
    const clients = async () =>
      Number(/auto_terminal_stream_clients (\d+)/.exec((await api.get<string>('/metrics')).body)?.[1]);
    const before = await clients();
    const cutOff = asNobody(script, { port: Number(new URL(service.url).port), upgrade });
    await expect.poll(clients).toBe(before + 1);
    expect((await patch(service.url, { network: { localUsers: 'own' } })).status).toBe(200);
    expect(await cutOff).toBe('closed');
    expect(await statuses()).toEqual([403, 403]);
    // Connections of the service's own user stay.
    expect(watcher.socket.readyState).toBe(WebSocket.OPEN);
  });

  test('with the token of an exposed service it is served', async () => {
    const exposed = await startService();
    onTestFinished(() => exposed.stop());
    const { body } = await createApi(exposed.url).get<{ network: { authToken: string } }>(
      '/api/settings?reveal=true',
    );
    const { authToken } = body.network;
    await patch(exposed.url, { network: { expose: true } });
    const url = `${exposed.url}/api/terminals`;
    const shown = { authorization: `Bearer ${authToken}` };
    const answers = await askAsNobody([
      { method: 'GET', url },
      { method: 'GET', url, headers: shown },
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 200]);
    await patch(exposed.url, { network: { expose: false } }, authToken);
    expect(await askAsNobody([{ method: 'GET', url, headers: shown }])).toMatchObject([{ status: 403 }]);
  });

  test('is refused by a tool server that runs alone, unless its environment allows it', async () => {
    for (const [users, status] of [
      ['own', 403],
      ['any', 200],
    ] as const) {
      const sidecar = await startSidecar({ apiUrl: service.url, env: { MCP_LOCAL_USERS: users } });
      onTestFinished(() => sidecar.stop());
      const url = `${new URL(sidecar.url).origin}/health`;
      expect(await askAsNobody([{ method: 'GET', url }])).toMatchObject([{ status }]);
    }
  });
});

test("the service's own user is served as before", async () => {
  const own = await startService();
  onTestFinished(() => own.stop());
  const socket = new WebSocket(`${own.url.replace('http', 'ws')}/ws`);
  await once(socket, 'open');
  socket.terminate();
  expect((await createApi(own.url).get('/api/terminals')).status).toBe(200);
});
