import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import type { AuditEntry } from '#dist/contract/audit.js';
import { socketOf } from '../support/asking-program.js';
import { EventStream } from '../support/event-client.js';
import { ask as askWith, upgrade } from '../support/exposed.js';
import { type Guarded, guard } from '../support/guarded.js';
import { createApi } from '../support/http.js';
import { closeAfterEach, connectTo } from '../support/sdk.js';
import { useService } from '../support/use-service.js';

const used = useService();
closeAfterEach();
let guarded: Guarded;
/** Stream of events that was opened before the service required tokens. */
let before: EventStream;
/** Resolves once a WebSocket that was opened before then has closed. */
let socketEnded: Promise<unknown>;
/** Connection on which a request was answered before then. */
let kept: Socket;

const own = (method: string, path: string, body?: unknown) => guarded.send(guarded.own, method, path, body);

beforeAll(async () => {
  before = await EventStream.open(used.service.url);
  const socket = new WebSocket(`${used.service.url.replace('http', 'ws')}/ws`);
  socketEnded = once(socket, 'close');
  await once(socket, 'open');
  kept = await keptConnection();
  guarded = await guard(used.service);
});

/** Opens a connection and gets an answer on it, while requests need no token yet. */
async function keptConnection(): Promise<Socket> {
  const { hostname, port } = new URL(used.service.url);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  expect(await askOn(socket)).toMatch(/^HTTP\/1.1 200 /);
  return socket;
}

/** Sends a request on a connection. Resolves with the beginning of the answer; rejects if the connection ends first. */
async function askOn(socket: Socket): Promise<string> {
  if (socket.closed) throw new Error('the connection has ended');
  socket.write('GET /api/terminals HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const ended = once(socket, 'close').then(() => {
    throw new Error('the connection has ended');
  });
  const [answer] = await Promise.race([once(socket, 'data'), ended]);
  return answer as string;
}

describe('guarded mode', () => {
  test('ends what was opened without a token, and changes nothing of who the health routes answer', async () => {
    await Promise.all([before.closed, socketEnded]);
    for (const path of ['/health', '/api/health'])
      expect((await guarded.send(undefined, 'GET', path)).status).toBe(200);
    expect((await guarded.send(undefined, 'GET', '/nowhere')).status).toBe(401);
    expect((await own('GET', '/nowhere')).status).toBe(404);
  });

  test('answers on a connection that is kept, and asks for a token there', async () => {
    expect(await askOn(kept)).toMatch(/^HTTP\/1.1 401 /);
    kept.destroy();
  });

  test('asks the dashboard for a login by the token of the service, and takes no other token there', async () => {
    const url = used.service.dashboardUrl!;
    const { token } = await guarded.make(['admin']);
    expect((await askWith(url, '/')).status).toBe(200);
    expect((await askWith(url, '/api/terminals')).status).toBe(401);
    expect((await askWith(url, '/api/terminals', token)).status).toBe(401);
    expect((await askWith(url, '/api/terminals', guarded.own)).status).toBe(200);
    expect(JSON.parse((await askWith(url, '/session')).text!)).toEqual({ needed: true, active: false });
    const login = (given: string) =>
      fetch(`${url}/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: url },
        body: JSON.stringify({ token: given }),
      });
    expect((await login(token)).status).toBe(401);
    const { status, headers } = await login(guarded.own);
    const cookie = headers.get('set-cookie')!.split(';', 1)[0]!;
    expect(status).toBe(204);
    expect((await fetch(`${url}/api/settings`, { headers: { cookie, origin: url } })).status).toBe(200);
  });

  test('takes a token in the query of an upgrade, or as a bearer', async () => {
    const { token } = await guarded.make(['read']);
    const { token: typist } = await guarded.make(['type']);
    expect(await upgrade(`${used.service.url}/ws`)).toBe(401);
    expect(await upgrade(`${used.service.url}/ws?token=at_no`)).toBe(401);
    expect(await upgrade(`${used.service.url}/ws?token=${typist}`)).toBe(403);
    expect(await upgrade(`${used.service.url}/ws?token=${token}`)).toBe('open');
    expect(await upgrade(`${used.service.url}/ws?token=${guarded.own}`)).toBe('open');
  });

  test('lets the user in by the unix socket without a token, and no further than a token that is shown there', async () => {
    const socketPath = socketOf(used.service);
    expect(await connectTo({ socketPath, env: {} }).terminals.list()).toEqual([]);
    const { token } = await guarded.make(['type']);
    const refused = connectTo({ socketPath, token, env: {} }).terminals.list();
    await expect(refused).rejects.toMatchObject({ status: 403, code: 'verb-missing' });
    const unknown = connectTo({ socketPath, token: 'at_unknown', env: {} }).terminals.list();
    await expect(unknown).rejects.toMatchObject({ status: 401 });
  });

  test('tells a client what it may do', async () => {
    const { token, ...shown } = await guarded.make(['type', 'read'], { own: true, maxTerminals: 2 });
    expect((await guarded.send(token, 'GET', '/api/tokens/self')).body).toEqual({
      mode: 'guarded',
      verbs: ['read', 'type'],
      token: { ...shown, lastUsedAt: expect.any(Number) },
    });
    expect((await own('GET', '/api/tokens/self')).body).toMatchObject({
      verbs: expect.arrayContaining(['admin']),
      token: null,
    });
  });
});

describe('a token', () => {
  test('is shown once, and its text is nowhere on the disk', async () => {
    const { token, id } = await guarded.make(['read']);
    expect(token).toMatch(/^at_/);
    const { body } = await own('GET', '/api/tokens');
    expect(body.tokens.find((each: { id: string }) => each.id === id)).toMatchObject({
      name: 'test',
      verbs: ['read'],
    });
    expect(JSON.stringify(body)).not.toContain(token.slice(3));
    const store = await readFile(join(used.service.home, 'data/store/data.mdb'), 'latin1');
    expect([store.includes(id), store.includes(token.slice(3))]).toEqual([true, false]);
  });

  test.each([
    ['no verb', { verbs: [] }],
    ['an unknown verb', { verbs: ['rule'] }],
    ['both a selector and own', { verbs: ['read'], selector: 'a=b', own: true }],
    ['admin of some terminals', { verbs: ['admin'], selector: 'a=b' }],
    ['a selector without a value', { verbs: ['read'], selector: 'a' }],
    ['a field that does not exist', { verbs: ['read'], selectors: 'a=b' }],
    ['more than a year', { verbs: ['read'], expiresInMs: 31_536_000_001 }],
  ])('is refused with %s', async (_case, body) => {
    expect(await own('POST', '/api/tokens', { name: 'n', ...body })).toMatchObject({ status: 400 });
  });

  test('of an admin does everything, and can be deleted with its own help', async () => {
    const { token, id } = await guarded.make(['admin']);
    const { body } = await guarded.send(token, 'POST', '/api/tokens', { name: 'second', verbs: ['admin'] });
    expect((await guarded.send(body.token, 'GET', '/api/settings')).status).toBe(200);
    await guarded.send(body.token, 'DELETE', `/api/tokens/${id}`);
    expect((await guarded.send(token, 'GET', '/api/settings')).status).toBe(401);
  });

  test('is named in the audit log, as well as what was refused, made and deleted', async () => {
    await own('PATCH', '/api/settings', { audit: { enabled: true } });
    const { token, id } = await guarded.make(['read'], { name: 'reader' });
    await guarded.send(token, 'POST', '/api/terminals', {});
    await guarded.send(undefined, 'GET', '/api/terminals');
    await own('DELETE', `/api/tokens/${id}`);
    const text = await auditText();
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEntry);
    const by = { token: { id, name: 'reader' } };
    expect(lines.slice(-4)).toMatchObject([
      { action: 'POST /api/tokens', status: 201, tokenId: id },
      { action: 'POST /api/terminals', status: 403, code: 'verb-missing', by },
      { action: 'GET /api/terminals', status: 401, code: 'unauthorized' },
      { action: 'DELETE /api/tokens/:id', status: 204, tokenId: id },
    ]);
    expect(text).not.toContain(token);
  });
});

test('back in open mode, tokens do not count', async () => {
  const { token } = await guarded.make(['type']);
  await own('PATCH', '/api/settings', { access: { mode: 'open' } });
  onTestFinished(
    async () =>
      void (await createApi(used.service.url).patch('/api/settings', { access: { mode: 'guarded' } })),
  );
  for (const shown of [undefined, 'at_unknown', token])
    expect((await guarded.send(shown, 'GET', '/api/settings')).status).toBe(200);
  expect((await guarded.send(token, 'GET', '/api/tokens/self')).body).toMatchObject({
    mode: 'open',
    token: null,
  });
});

async function auditText(): Promise<string> {
  return (await askWith(used.service.url, '/api/audit', guarded.own)).text!;
}
