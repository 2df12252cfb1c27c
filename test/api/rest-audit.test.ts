import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AuditCheck, AuditEntry } from '#dist/contract/audit.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { createApi } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { connectTo, ofHome } from '../support/sdk.js';
import { startService } from '../support/service.js';
import { useService } from '../support/use-service.js';

const used = useService();
const settings = (audit: object) => used.api.patch('/api/settings', { audit });

async function linesOf(query = ''): Promise<AuditEntry[]> {
  const { status, headers, body } = await used.api.raw({ path: `/api/audit${query}` });
  expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson']);
  return body.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as AuditEntry]));
}

const last = async () => (await linesOf()).at(-1)!;

/** A terminal whose program reads all that is typed. */
const open = async (more = {}) =>
  (await used.api.post<Terminal>('/api/terminals', { command: ['cat'], ...more })).body.id;

test('off by default: there is no log, and no folder', async () => {
  await open();
  expect(await linesOf()).toEqual([]);
  expect(await readdir(join(used.service.home, 'data'))).not.toContain('audit');
  expect((await used.api.get<AuditCheck>('/api/audit/verify')).body).toEqual({
    isWhole: true,
    first: 0,
    last: 0,
  });
});

describe('with audit.enabled', () => {
  beforeAll(() => settings({ enabled: true }));

  test('a change has a line: who, where and what came of it', async () => {
    expect((await linesOf()).map(({ action, settings: names }) => [action, names])).toEqual([
      ['audit.opened', undefined],
      ['PATCH /api/settings', ['audit.enabled']],
    ]);
    const id = await open();
    const by = { kind: 'service', verified: false };
    expect(await last()).toMatchObject({
      action: 'POST /api/terminals',
      by,
      via: 'api',
      terminalId: id,
      status: 200,
    });
    await used.api.delete(`/api/terminals/${id}`);
    expect(await last()).toMatchObject({ action: 'DELETE /api/terminals/:id', terminalId: id, status: 200 });
    const created = await used.api.post<{ results: { terminal: Terminal }[] }>(
      '/api/terminals/batch/create',
      {
        terminals: [{ command: ['cat'] }, { command: ['cat'] }],
      },
    );
    expect((await last()).terminalIds).toEqual(created.body.results.map(({ terminal }) => terminal.id));
  });

  test('typed text is kept without its secrets with audit.text redacted', async () => {
    expect((await settings({ text: 'redacted' })).status).toBe(200);
    const id = await open({ env: { DB_PASS: 'correct horse battery', API_TOKEN: 'kept-by-its-name' } });
    const { n } = await last();
    const data = 'login correct horse battery kept-by-its-name\r';
    await used.api.post(`/api/terminals/${id}/input`, { data });
    await used.api.post(`/api/terminals/${id}/input`, { data: 'ls\r' });
    const typed = async () => (await linesOf(`?after=${n}`)).filter(({ action }) => action === 'typed');
    await eventually('both were taken', async () => (await typed()).length === 2);
    const [secret, plain] = await typed();
    // The name API_TOKEN marks a secret; the name DB_PASS does not.
    expect(secret).toMatchObject({
      redacted: true,
      text: expect.stringMatching(/^login correct horse battery \[redacted:API_TOKEN:[0-9a-f]{8}\]\r$/),
    });
    expect(secret).not.toHaveProperty('sha256');
    expect(plain).toMatchObject({ bytes: 3, text: 'ls\r', sha256: expect.any(String) });
    expect((await used.api.get<AuditCheck>('/api/audit/verify')).body.isWhole).toBe(true);
    await settings({ text: null });
  });

  test('a refusal has a line, also of a read; a read has none', async () => {
    const { n } = await last();
    await used.api.get('/api/terminals');
    await used.api.raw({ path: '/api/terminals', headers: { origin: 'http://evil.example' } });
    await used.api.delete('/api/terminals/term_000000000000');
    expect((await linesOf(`?after=${n}`)).map(({ action, status, code }) => [action, status, code])).toEqual([
      ['GET /api/terminals', 403, 'origin-not-allowed'],
      ['DELETE /api/terminals/:id', 404, 'terminal-not-found'],
    ]);
  });

  test('what is typed has a line before, and its length and hash after it', async () => {
    const id = await open();
    const { n } = await last();
    await createApi(used.service.url, { headers: { 'idempotency-key': 'audit-1' } }).post(
      `/api/terminals/${id}/input`,
      { data: 'echo\r' },
    );
    await eventually(
      'it was written',
      async () => (await linesOf(`?terminal=${id}&after=${n}`)).length === 2,
    );
    const [begun, written] = await linesOf(`?terminal=${id}&after=${n}`);
    expect(begun).toMatchObject({ action: 'type', by: { kind: 'service' }, terminalId: id });
    expect(written).toMatchObject({ action: 'typed', of: begun!.n, terminalId: id, bytes: 5 });
    expect(written).not.toHaveProperty('text');
  });

  test('a program in a terminal is known by its header, and as verified by the unix socket', async () => {
    const id = await open({ name: 'builder' });
    await createApi(used.service.url, { headers: { 'x-service-terminal-id': id } }).post('/api/terminals', {
      command: ['cat'],
    });
    expect((await last()).by).toEqual({ kind: 'agent', name: 'builder', terminalId: id, verified: false });
  });

  test('can be asked by terminal, action and who, and followed', async () => {
    const id = await open({ name: 'asked' });
    await used.api.delete(`/api/terminals/${id}`);
    expect((await linesOf(`?terminal=${id}`)).map(({ action }) => action)).toEqual([
      'POST /api/terminals',
      'DELETE /api/terminals/:id',
    ]);
    expect((await linesOf(`?terminal=${id}&action=DELETE`)).length).toBe(1);
    expect(await linesOf(`?terminal=${id}&by=user`)).toEqual([]);
    expect((await linesOf(`?terminal=${id}&by=service`)).length).toBe(2);
    const { n, at } = await last();
    expect(await linesOf(`?until=${at - 1}&after=${n - 1}`)).toEqual([]);
    const client = connectTo(ofHome(used.service.home));
    const lines = client.audit.lines({ after: n, follow: true, action: 'PATCH' });
    const next = lines.next();
    await used.api.patch(`/api/terminals/${await open()}`, { name: 'seen' });
    expect((await next).value).toMatchObject({ action: 'PATCH /api/terminals/:id', status: 200 });
    await lines.return(undefined);
  });

  test('verify finds a changed line', async () => {
    expect((await used.api.get<AuditCheck>('/api/audit/verify')).body).toMatchObject({
      isWhole: true,
      first: 1,
    });
    const path = join(used.service.home, 'data/audit/000000000001.jsonl');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('"status":200', '"status":201'));
    const { body } = await used.api.get<AuditCheck>('/api/audit/verify');
    expect(body).toMatchObject({
      isWhole: false,
      fault: { why: expect.stringContaining('the line before it') },
    });
    await writeFile(path, text);
  });

  test('a damaged line hides no other', async () => {
    const path = join(used.service.home, 'data/audit/000000000001.jsonl');
    const text = await readFile(path, 'utf8');
    const before = (await linesOf()).map(({ n }) => n);
    await writeFile(path, text.replace('\n{"n":2,', '\n"n":2,'));
    expect((await linesOf()).map(({ n }) => n)).toEqual(before.filter((n) => n !== 2));
    await writeFile(path, text);
  });

  test('goes on in the next service, and ends with a line when it is turned off', async () => {
    const own = await startService();
    const api = createApi(own.url);
    await api.patch('/api/settings', { audit: { enabled: true } });
    await own.kill('SIGKILL');
    const next = await startService({ home: own.home });
    const nextApi = createApi(next.url);
    await nextApi.patch('/api/settings', { audit: { enabled: false } });
    const { body } = await nextApi.raw({ path: '/api/audit' });
    const actions = body.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).action]));
    expect(actions).toEqual(['audit.opened', 'PATCH /api/settings', 'audit.opened', 'audit.closed']);
    await next.stop();
  });
});
