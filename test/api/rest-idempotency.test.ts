import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BatchAnswer } from '#dist/contract/execute.js';
import type { BatchRunAnswer } from '#dist/contract/run.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { postAndDrop } from '../support/dropped-post.js';
import { type Api, createApi, type Failure, type Watcher, watch } from '../support/http.js';
import { openKeylog } from '../support/keylog.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let api: Api;
let watcher: Watcher;

beforeAll(async () => {
  service = await startService({ env: { SHELL: '/bin/sh' } });
  api = createApi(service.url);
  watcher = await watch(service.url);
});
afterAll(async () => {
  await watcher?.close();
  await service?.stop();
});

/** Sends a POST with an Idempotency-Key; resolves with the answer, and whether it is a replay. */
async function post<Body>(path: string, key: string, body: unknown) {
  const keyed = createApi(service.url, { headers: { 'idempotency-key': key } });
  const answer = await keyed.post<Body & Failure>(path, body);
  return { ...answer, isReplayed: answer.headers['idempotent-replayed'] === 'true' };
}

describe('a repeated request with an Idempotency-Key', () => {
  test('answers like the first, with a header that says so, and types nothing', async () => {
    const keylog = await openKeylog(api, watcher);
    const { id } = keylog;
    const requests: [path: string, body: unknown, typed: string][] = [
      [`/api/terminals/${id}/input`, { data: 'input,' }, 'input,'],
      [`/api/terminals/${id}/keys`, { keys: ['k', ','] }, 'k,'],
      [`/api/terminals/${id}/execute`, { prompt: 'execute', submissionSignal: ',' }, 'execute'],
      [`/api/terminals/${id}/prompt`, { prompt: 'prompt', submissionSignal: ',' }, 'prompt'],
      ['/api/terminals/batch/execute', { terminalIds: [id], prompt: 'b', submissionSignal: ',' }, 'b'],
      ['/api/terminals/batch/input', { terminalIds: [id], data: 'batch input,' }, 'batch input,'],
    ];
    // The key is the same everywhere: a key counts only for its path.
    for (const [path, body] of requests) {
      const first = await post(path, 'key 1', body);
      expect([path, first.status, first.isReplayed]).toEqual([path, 200, false]);
      for (let repeats = 0; repeats < 3; repeats++) {
        const again = await post(path, 'key 1', body);
        expect([path, again.status, again.body, again.isReplayed]).toEqual([path, 200, first.body, true]);
        expect(again.headers['content-type']).toBe(first.headers['content-type']);
        expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
      }
    }
    await post(`/api/terminals/${id}/input`, 'last', { data: 'END' });
    const typed = (await keylog.until('END')).replaceAll(/\x1b\[20[01]~/g, '');
    expect(typed).toBe('input,k,execute,prompt,b,batch input,END');
  });

  test('creates a terminal once', async () => {
    const labels = { suite: 'created' };
    const first = await post<Terminal>('/api/terminals', 'create', { command: ['cat'], labels });
    const again = await post<Terminal>('/api/terminals', 'create', { command: ['cat'], labels });
    expect([again.body, again.isReplayed]).toEqual([first.body, true]);
    const { body } = await api.get<{ terminals: Terminal[] }>('/api/terminals?selector=suite=created');
    expect(body.terminals.map(({ id }) => id)).toEqual([first.body.id]);
  });

  test('waits for the first one while that is in work', async () => {
    const keylog = await openKeylog(api, watcher);
    const path = `/api/terminals/${keylog.id}/execute`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(path, 'at once', { prompt: 'once', cliType: 'agent_b' })),
    );
    expect(answers.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]!.body]);
    await api.post(`/api/terminals/${keylog.id}/input`, { data: 'END' });
    expect(await keylog.until('END')).toBe('\x1b[200~once\x1b[201~\x1b\rEND');
  });

  test('after a connection that broke before the answer: typed once', async () => {
    const keylogs = await Promise.all([1, 2, 3].map(() => openKeylog(api, watcher)));
    const terminalIds = keylogs.map(({ id }) => id);
    const body = { terminalIds, prompt: 'dropped' };
    const path = '/api/terminals/batch/execute';
    for (let drops = 0; drops < 5; drops++) await postAndDrop(service.url, { path, key: 'dropped', body });
    // Only the request that the service reads first types.
    const retried = await post<BatchAnswer>(path, 'dropped', body);
    expect(retried.body.summary).toEqual({ total: 3, succeeded: 3, failed: 0 });
    await api.post('/api/terminals/batch/input', { terminalIds, data: 'END' });
    for (const keylog of keylogs) expect(await keylog.until('END')).toBe('\x1b[200~dropped\x1b[201~\rEND');
  });

  test('after a connection that broke while a command runs: it runs once, and the retry gets its result', async () => {
    const create = async () => (await api.post<Terminal>('/api/terminals', { command: ['bash'] })).body.id;
    const terminalIds = [await create(), await create()];
    const command = 'until [ -e go ]; do sleep 0.05; done; echo ran-$((6 * 7)); (exit 3)';
    const path = '/api/terminals/batch/run';
    const body = { terminalIds, command };
    const until = () => Promise.all(terminalIds.map((id) => watcher.untilOutput(id, 'ran-$((6 * 7))')));
    await postAndDrop(service.url, { path, key: 'run', body, until });
    const retried = post<BatchRunAnswer>(path, 'run', body);
    await writeFile(join(service.home, 'go'), '');
    const { status, body: answer, isReplayed } = await retried;
    expect([status, isReplayed]).toEqual([200, true]);
    expect(
      answer.results.map(({ terminalId, done, exitCode, raw }) => [terminalId, done, exitCode, raw]),
    ).toEqual(terminalIds.map((id) => [id, true, 3, 'ran-42\n']));
    expect((await post(path, 'run', body)).body).toEqual(answer);
    await api.post('/api/terminals/batch/input', { terminalIds, data: 'echo E""ND\r' });
    for (const id of terminalIds)
      expect((await watcher.untilOutput(id, 'END')).match(/ran-42/g)).toHaveLength(1);
  });

  test('with another body is a 422, and types nothing', async () => {
    const keylog = await openKeylog(api, watcher);
    const path = `/api/terminals/${keylog.id}/input`;
    await post(path, 'reused', { data: 'one' });
    const { status, body } = await post(path, 'reused', { data: 'two' });
    expect([status, body]).toMatchObject([
      422,
      {
        error: 'This Idempotency-Key was already used for a request with a different body',
        code: 'key-reused',
      },
    ]);
    expect((await post(path, 'reused', { data: 'one', ignored: 5 })).isReplayed).toBe(true);
    await post(path, 'end', { data: 'END' });
    expect(await keylog.until('END')).toBe('oneEND');
  });

  test('is done again if the first one has failed', async () => {
    const keylog = await openKeylog(api, watcher);
    const path = `/api/terminals/${keylog.id}/execute`;
    for (const [body, status] of [
      [{ prompt: 'x', cliType: 'nope' }, 400],
      [{ prompt: 'x'.repeat(2 * 1024 * 1024) }, 429],
    ] as const) {
      for (let repeats = 0; repeats < 2; repeats++) {
        const failed = await post(path, 'failed', body);
        expect([failed.status, failed.isReplayed]).toEqual([status, false]);
      }
    }
    const done = await post(path, 'failed', { prompt: 'done', submissionSignal: '' });
    expect([done.status, done.isReplayed]).toEqual([200, false]);
    expect(await keylog.until('done\x1b[201~')).toBe('\x1b[200~done\x1b[201~');
  });
});

describe('the header', () => {
  test.each(['', 'x'.repeat(257)])('%.5j is a 400 that names it', async (key) => {
    const { status, body } = await post('/api/terminals/gone/input', key, { data: 'x' });
    expect([status, body.error]).toEqual([400, expect.stringMatching(/^idempotency-key: /)]);
  });

  test('is ignored by routes that type nothing', async () => {
    const { id } = (await api.post<Terminal>('/api/terminals', { command: ['cat'] })).body;
    for (const cols of [81, 82]) {
      const { status, isReplayed } = await post(`/api/terminals/${id}/size`, 'size', { cols, rows: 24 });
      expect([status, isReplayed]).toEqual([200, false]);
    }
    expect((await api.get(`/api/terminals/${id}/size`)).body).toEqual({ cols: 82, rows: 24 });
  });

  test('is documented on the routes that accept it', async () => {
    const { body } = await api.get<{ paths: Record<string, Record<string, { parameters?: object[] }>> }>(
      '/openapi.json',
    );
    const taking = Object.entries(body.paths)
      .filter(([, { post }]) => JSON.stringify(post?.parameters ?? []).includes('"idempotency-key"'))
      .map(([path]) => path);
    expect(taking).toEqual(
      expect.arrayContaining([
        '/api/terminals',
        '/api/terminals/{id}/input',
        '/api/terminals/{id}/keys',
        '/api/terminals/{id}/execute',
        '/api/terminals/{id}/prompt',
        '/api/terminals/batch/execute',
        '/api/terminals/batch/input',
        '/api/terminals/batch/run',
        '/api/fleet/execute',
      ]),
    );
  });

  test('may be sent by pages of allowed origins', async () => {
    const settings = { network: { allowedOrigins: ['https://panel.example'] } };
    expect((await api.patch('/api/settings', settings)).status).toBe(200);
    const { headers } = await api.raw({
      method: 'OPTIONS',
      path: '/api/terminals',
      headers: { origin: 'https://panel.example', 'access-control-request-method': 'POST' },
    });
    expect(headers['access-control-allow-headers']).toContain('Idempotency-Key');
    expect(headers['access-control-expose-headers']).toContain('idempotent-replayed');
  });
});
