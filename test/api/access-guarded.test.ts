import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AuditEntry } from '#dist/contract/audit.js';
import { socketOf } from '../support/asking-program.js';
import { EventStream } from '../support/event-client.js';
import { ask as askWith, upgrade } from '../support/exposed.js';
import { type Guarded, guard } from '../support/guarded.js';
import { createApi, watch } from '../support/http.js';
import { closeAfterEach, connectTo } from '../support/sdk.js';
import { useService } from '../support/use-service.js';

const used = useService();
closeAfterEach();
let guarded: Guarded;
/** A stream that was open before the service asked for tokens. */
let before: EventStream;

const own = (method: string, path: string, body?: unknown) => guarded.send(guarded.own, method, path, body);

beforeAll(async () => {
  before = await EventStream.open(used.service.url);
  guarded = await guard(used.service);
});

describe('guarded mode', () => {
  test('ends what was opened without a token, and changes nothing of who the health routes answer', async () => {
    await before.closed;
    for (const path of ['/health', '/api/health'])
      expect((await guarded.send(undefined, 'GET', path)).status).toBe(200);
    expect((await guarded.send(undefined, 'GET', '/nowhere')).status).toBe(401);
    expect((await own('GET', '/nowhere')).status).toBe(404);
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

  test('that is deleted ends its WebSockets, streams and waits at once, and nobody else', async () => {
    const id = await guarded.open();
    const [one, other] = [await guarded.make(['read']), await guarded.make(['read'])];
    const url = used.service.url;
    const sockets = [await watch(url, `token=${one.token}`), await watch(url, `token=${other.token}`)];
    const closed = sockets.map(({ socket }) => new Promise((resolve) => socket.once('close', resolve)));
    const events = await EventStream.open(url, { headers: { authorization: `Bearer ${one.token}` } });
    const headers = { authorization: `Bearer ${one.token}` };
    const stream = await fetch(`${url}/api/terminals/${id}/stream`, { headers });
    const wait = guarded.send(one.token, 'POST', `/api/terminals/${id}/wait`, {
      until: 'exit',
      timeoutMs: 60_000,
    });
    const [streamEnds, waitEnds] = [stream.text(), wait].map((work) =>
      work.then(
        () => 'answered',
        () => 'broken',
      ),
    );
    await expect.poll(waitsOpen).toBeGreaterThan(0);
    expect((await own('DELETE', `/api/tokens/${one.id}`)).status).toBe(204);
    await closed[0];
    await events.closed;
    expect([await streamEnds, await waitEnds]).toEqual(['broken', 'broken']);
    await own('POST', `/api/terminals/${id}/input`, { data: 'still there\n' });
    await sockets[1]!.untilOutput(id, 'still there');
    await sockets[1]!.close();
  });

  test('that is deleted creates no more of the terminals that it has asked for', async () => {
    await own('PATCH', '/api/settings', { audit: { enabled: true } });
    const { token, id } = await guarded.make(['control'], { selector: 'team=many' });
    const terminals = Array.from({ length: 100 }, () => ({ command: ['cat'] }));
    const events = await EventStream.open(used.service.url, {
      headers: { authorization: `Bearer ${guarded.own}` },
    });
    const answered = guarded.send(token, 'POST', '/api/terminals/batch/create', { terminals }).then(
      () => 'answered',
      () => 'broken',
    );
    await expect.poll(() => events.events.some(({ type }) => type === 'terminal.created')).toBe(true);
    await own('DELETE', `/api/tokens/${id}`);
    expect(await answered).toBe('broken');
    // The line is written when the work of the request is over, which nobody hears the answer to.
    const isOver = async () => (await auditText()).includes('POST /api/terminals/batch/create');
    await expect.poll(isOver, { timeout: 30_000 }).toBe(true);
    const { body } = await own('GET', '/api/terminals?selector=team=many');
    expect(body.terminals.length).toBeLessThan(terminals.length);
    await events.cut();
    for (const { id: each } of body.terminals) await own('DELETE', `/api/terminals/${each}`);
  });

  test('that is deleted types nothing more, neither by inputs nor by runs that wait', async () => {
    const id = await guarded.open({ team: 'held' });
    const { token, id: tokenId } = await guarded.make(['type', 'run', 'read'], { selector: 'team=held' });
    const { leaseId } = (await own('POST', `/api/terminals/${id}/lease`, {})).body;
    const wish = { whenBusy: 'queue', queueMs: 60_000 };
    const runIn = { terminalIds: [id], command: 'RUN', waitFor: 0, timeoutMs: 60_000, ...wish };
    const { runId } = (await guarded.send(token, 'POST', '/api/terminals/batch/run', runIn)).body;
    const input = guarded
      .send(token, 'POST', `/api/terminals/${id}/input`, { data: 'INPUT\n', ...wish })
      .then(
        () => 'answered',
        () => 'broken',
      );
    const queued = async () => (await own('GET', `/api/terminals/${id}/lease`)).body.queued;
    await expect.poll(queued).toBe(2);
    await own('DELETE', `/api/tokens/${tokenId}`);
    expect(await input).toBe('broken');
    await own('DELETE', `/api/terminals/${id}/lease?leaseId=${leaseId}`);
    const { body } = await own('GET', `/api/runs/${runId}?timeoutMs=20000`);
    expect(body.results).toMatchObject([{ terminalId: id, success: false, code: 'unauthorized' }]);
    await own('POST', `/api/terminals/${id}/input`, { data: 'LAST\n' });
    const output = async () => (await own('GET', `/api/terminals/${id}/output`)).body.raw as string;
    await expect.poll(output).toContain('LAST');
    expect(await output()).not.toMatch(/RUN|INPUT/);
    await own('DELETE', `/api/terminals/${id}`);
  });

  test('that expires ends its WebSockets', async () => {
    const { token } = await guarded.make(['read'], { expiresInMs: 1_000 });
    const { socket } = await watch(used.service.url, `token=${token}`);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(await upgrade(`${used.service.url}/ws?token=${token}`)).toBe(401);
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

/** Number of requests that wait. */
async function waitsOpen(): Promise<number> {
  const { text } = await askWith(used.service.url, '/metrics', guarded.own);
  return Number(/^auto_terminal_waits (\d+)/m.exec(text!)?.[1] ?? 0);
}
