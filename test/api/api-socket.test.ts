import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, readFile, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import type { ServiceFacts } from '../../src/contract/service-facts.js';
import { patch } from '../support/exposed.js';
import type { Frame } from '../support/http.js';
import { asNobody, CAN_BE_ANOTHER_USER } from '../support/other-user.js';
import { type Service, type StartOptions, startService } from '../support/service.js';

const fileOf = ({ home }: Service) => join(home, 'data', 'run', 'service.json');
const socketOf = ({ home }: Service) => join(home, 'data', 'run', 'api.sock');

async function factsOf(service: Service): Promise<ServiceFacts> {
  return JSON.parse(await readFile(fileOf(service), 'utf8')) as ServiceFacts;
}

async function started(options: StartOptions = {}): Promise<Service> {
  const service = await startService(options);
  onTestFinished(() => service.stop());
  return service;
}

interface Asked {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: object;
}

/** One request over a unix socket. */
async function ask<Body>(socketPath: string, { method = 'GET', path, headers = {}, body }: Asked) {
  const type = body && { 'content-type': 'application/json' };
  const sent = request({ socketPath, method, path, headers: { ...type, ...headers }, agent: false });
  sent.end(body && JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  return { status: answer.statusCode, body: (await json(answer)) as Body };
}

test('the service writes how it is reached, for its owner alone, and removes that at its stop', async () => {
  const service = await startService({ mcp: true });
  const { instanceId, ...facts } = await factsOf(service);
  expect(facts).toEqual({
    pid: service.pid,
    args: expect.arrayContaining(['--port', '0']),
    url: service.url,
    mcp: service.mcpUrl,
    dashboard: service.dashboardUrl,
    socket: socketOf(service),
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  });
  for (const path of [fileOf(service), socketOf(service)]) {
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  }
  const health = await ask<{ instanceId: string }>(facts.socket!, { path: '/health' });
  expect(health).toMatchObject({ status: 200, body: { instanceId } });
  await service.kill('SIGTERM');
  expect([fileOf(service), socketOf(service)].map(existsSync)).toEqual([false, false]);
  await service.stop();
});

test('a killed service leaves both behind, and the next one replaces them', async () => {
  const first = await startService();
  const before = await factsOf(first);
  await first.kill('SIGKILL');
  expect(existsSync(socketOf(first))).toBe(true);
  const second = await started({ home: first.home });
  const after = await factsOf(second);
  expect(after.pid).toBe(second.pid);
  expect(after.instanceId).not.toBe(before.instanceId);
  expect((await ask(after.socket!, { path: '/api/terminals' })).status).toBe(200);
});

test('a start that is refused, since another service runs here, takes nothing from it', async () => {
  const service = await started();
  const before = await factsOf(service);
  await expect(startService({ home: service.home })).rejects.toThrow('did not start');
  expect(await factsOf(service)).toEqual(before);
  expect((await ask(before.socket!, { path: '/health' })).status).toBe(200);
});

test('the socket serves REST and the stream without a token, also while the service is exposed', async () => {
  const service = await started();
  expect((await patch(service.url, { network: { expose: true } })).status).toBe(200);
  const { url, socket } = await factsOf(service);
  expect((await fetch(`${url}/api/terminals`)).status).toBe(401);
  const stream = new WebSocket(`ws+unix://${socket}:/ws`);
  onTestFinished(() => stream.terminate());
  let output = '';
  const printed = new Promise<void>((resolve) => {
    stream.on('message', (message) => {
      const { event } = JSON.parse(String(message)) as Frame;
      output += event?.data.content ?? '';
      if (output.includes('typed: over the socket')) resolve();
    });
  });
  await once(stream, 'message');
  const command = ['sh', '-c', 'read line; echo "typed: $line"; exec sleep 1000'];
  const made = await ask<{ id: string }>(socket!, {
    method: 'POST',
    path: '/api/terminals',
    body: { command },
  });
  expect(made.status).toBe(200);
  const data = 'over the socket\r';
  const payload = { action: 'terminal:input', terminalId: made.body.id, data };
  stream.send(JSON.stringify({ id: 1, type: 'command', payload }));
  await printed;
});

test('the socket refuses web pages of other origins, and bodies that a form may send', async () => {
  const { socket } = await factsOf(await started());
  const page = await ask(socket!, { path: '/api/terminals', headers: { origin: 'http://evil.example' } });
  expect(page.status).toBe(403);
  const form = {
    method: 'POST',
    path: '/api/terminals',
    headers: { 'content-type': 'text/plain' },
    body: {},
  };
  expect((await ask(socket!, form)).status).toBe(403);
});

test('the file follows the service to another port', async () => {
  const service = await started();
  const { body } = await ask<{ network: { port: number } }>(socketOf(service), { path: '/api/settings' });
  const free = await started();
  const port = Number(new URL(free.url).port);
  await free.kill('SIGTERM');
  expect(port).not.toBe(body.network.port);
  const changes = { method: 'PATCH', path: '/api/settings', body: { network: { port } } };
  expect((await ask(socketOf(service), changes)).status).toBe(200);
  await expect.poll(async () => (await factsOf(service)).url).toBe(`http://127.0.0.1:${port}`);
});

test.runIf(CAN_BE_ANOTHER_USER)('another user of the machine cannot connect', async () => {
  const { socket } = await factsOf(await started());
  const script = `
    import { connect } from 'node:net';
    import { json } from 'node:stream/consumers';
    const path = await json(process.stdin);
    connect(path, () => console.log('"connected"')).on('error', ({ code }) => console.log(JSON.stringify(code)));`;
  expect(await asNobody(script, socket)).toBe('EACCES');
});

/** Program that sends a request as nobody over the socket, and prints the answer's status, code and `connection`. */
const ASK_AS_NOBODY = `
  import { request } from 'node:http';
  import { json } from 'node:stream/consumers';
  const { socketPath, headers } = await json(process.stdin);
  request({ socketPath, path: '/api/terminals', headers, agent: false }, async (answer) => {
    const { code } = await json(answer);
    console.log(JSON.stringify([answer.statusCode, code ?? null, answer.headers.connection]));
  }).end();`;

test.runIf(CAN_BE_ANOTHER_USER)(
  'another user who can connect all the same is served as on the port',
  async () => {
    const service = await started();
    const { url, socket } = await factsOf(service);
    const socketPath = socket!;
    for (let folder = dirname(socketPath); folder.startsWith(service.home); folder = dirname(folder))
      await chmod(folder, 0o711);
    await chmod(socketPath, 0o666);
    const asked = (headers = {}) => asNobody(ASK_AS_NOBODY, { socketPath, headers });
    expect(await asked()).toEqual([403, 'other-user', 'close']);
    await patch(url, { network: { localUsers: 'any' } });
    expect(await asked()).toEqual([200, null, 'close']);
    expect(await asked({ host: 'evil.example' })).toEqual([403, 'host-not-allowed', 'close']);
    await patch(url, { network: { expose: true } });
    expect(await asked()).toEqual([401, 'unauthorized', 'close']);
    const { body } = await ask<{ network: { authToken: string } }>(socketPath, {
      path: '/api/settings?reveal=true',
    });
    const authorization = `Bearer ${body.network.authToken}`;
    expect(await asked({ authorization })).toEqual([200, null, 'close']);
  },
);
