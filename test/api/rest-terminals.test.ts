import { realpath } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { onTmux } from '../support/backend.js';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Failure, type Watcher, watch } from '../support/http.js';
import { eventually, processInfo } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let api: Api;
let watcher: Watcher;

beforeAll(async () => {
  service = await startService({ env: { SHELL: '/bin/bash' } });
  api = createApi(service.url);
  watcher = await watch(service.url, 'events=lifecycle');
});
afterAll(async () => {
  await watcher?.close();
  await service?.stop();
});

const create = async (body?: unknown) => (await api.post<Terminal>('/api/terminals', body)).body;
const listed = async (query = '') => {
  const { body } = await api.get<{ terminals: Terminal[] }>(`/api/terminals${query}`);
  return body.terminals.map(({ id }) => id);
};
const untilExited = (id: string) =>
  watcher.until(() =>
    watcher.frames.some(({ event }) => event?.type === 'terminal.exited' && event.terminalId === id),
  );

describe('health', () => {
  test('both paths name the instance', async () => {
    const { status, body } = await api.get<{ instanceId: string }>('/health');
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'ok',
      app: 'auto-terminal',
      instanceId: expect.any(String),
      version: '0.1.0',
      details: expect.any(Object),
    });
    expect((await api.get('/api/health')).body).toEqual(body);
  });
});

describe('create', () => {
  test('without a body: the default shell, 80x24', async () => {
    const before = Date.now();
    const { status, body } = await api.post<Terminal>('/api/terminals');
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^term_[0-9a-z]{12}$/),
      processId: body.id,
      name: 'Terminal-bash',
      profile: 'bash',
      status: 'running',
      pid: expect.any(Number),
      createdAt: expect.any(Number),
      mode: 'api',
      tabId: expect.stringMatching(/^tb-[0-9a-f]{9}$/),
      labels: {},
      ...(onTmux && { backend: 'tmux', attach: expect.stringContaining(body.id) }),
    });
    expect(body.createdAt).toBeGreaterThanOrEqual(before);
    expect(body.createdAt).toBeLessThanOrEqual(Date.now());
    expect(() => process.kill(body.pid, 0)).not.toThrow();
    expect((await api.get(`/api/terminals/${body.id}/size`)).body).toEqual({ cols: 80, rows: 24 });
    expect((await api.get(`/api/terminals/${body.id}`)).body).toEqual(body);
    expect(await listed()).toContain(body.id);
  });

  test('an empty JSON body counts as none', async () => {
    const headers = { 'content-type': 'application/json' };
    const { status } = await api.raw({ method: 'POST', path: '/api/terminals', headers });
    expect(status).toBe(200);
  });

  test('with every field', async () => {
    const cwd = await realpath('/tmp');
    const terminal = await create({
      cols: 100,
      rows: 30,
      profileId: 'sh',
      name: 'build',
      cwd,
      tabId: 'tb-1',
      env: { GREETING: 'hé "quoted"' },
    });
    expect(terminal).toMatchObject({ name: 'build', profile: 'sh', tabId: 'tb-1' });
    await api.post(`/api/terminals/${terminal.id}/input`, { data: 'echo "[$PWD|$GREETING|$(stty size)]"\r' });
    await watcher.untilOutput(terminal.id, `[${cwd}|hé "quoted"|30 100]`);
  });

  test('`profile` is an alias; an unknown profile is the default one', async () => {
    expect(await create({ profile: 'sh' })).toMatchObject({ profile: 'sh', name: 'Terminal-sh' });
    for (const profileId of ['nope', '', 'default']) {
      expect(await create({ profileId })).toMatchObject({ profile: 'bash', name: 'Terminal-bash' });
    }
  });

  test('a shell knows its terminal and the API, and nothing of the service', async () => {
    const { id } = await create({ command: ['env'], env: { TERM: 'vt100' } });
    await untilExited(id);
    const env = watcher.output(id).split('\r\n');
    expect(env).toEqual(
      expect.arrayContaining([
        'TERM=vt100',
        'COLORTERM=truecolor',
        `SERVICE_TERMINAL_ID=${id}`,
        `AUTO_TERMINAL_API_URL=${service.url}`,
      ]),
    );
    expect(env.filter((line) => line.startsWith('AUTO_TERMINAL_'))).toHaveLength(1);
  });

  test('a cwd that is no folder, or a missing program, is named in a 500', async () => {
    for (const cwd of ['/gone/away', '/etc/passwd']) {
      const { status, body } = await api.post<Failure>('/api/terminals', { cwd });
      expect([status, body.error]).toEqual([500, expect.stringContaining(cwd)]);
    }
    const { status, body } = await api.post<Failure>('/api/terminals', { command: ['/gone/program'] });
    expect([status, body.error]).toEqual([500, expect.stringContaining('/gone/program')]);
  });

  test.each([
    [{ cols: '80' }, 'cols: '],
    [{ cols: 0 }, 'cols: '],
    [{ rows: -1 }, 'rows: '],
    [{ rows: 1001 }, 'rows: '],
    [{ cols: 1e308 }, 'cols: '],
    [{ cols: 80.5 }, 'cols: '],
    [{ cols: null }, 'cols: '],
    [{ name: 5 }, 'name: '],
    [{ name: 'x'.repeat(5_000) }, 'name: '],
    [{ profileId: {} }, 'profileId: '],
    [{ cwd: ['/'] }, 'cwd: '],
    [{ cwd: '/tmp\0/x' }, 'cwd: '],
    [{ env: { A: 1 } }, 'env[A]: '],
    [{ env: { 'A=B': 'x' } }, 'env[A=B]: '],
    [{ env: ['x'] }, 'env: '],
    [{ env: { A: 'x'.repeat(200_000) } }, 'env[A]: '],
    [{ command: [] }, 'command: '],
    [{ direction: 'diagonal' }, 'direction: '],
    [[], 'body: '],
    ['text', 'body: '],
    [5, 'body: '],
  ])('%.40j is a 400 that names the field', async (bad, prefix) => {
    const before = (await listed('?status=all')).length;
    const { status, body } = await api.post<Failure>('/api/terminals', bad);
    expect([status, body]).toEqual([400, failed()]);
    expect(body.error.startsWith(prefix)).toBe(true);
    expect((await listed('?status=all')).length).toBe(before);
  });

  test('names with lone surrogates, and unknown fields, do no harm', async () => {
    const { status, body } = await api.post<Terminal>('/api/terminals', { name: 'a\ud800b', later: true });
    expect(status).toBe(200);
    expect((await api.get<Terminal>(`/api/terminals/${body.id}`)).body.name.length).toBe(3);
  });
});

describe('close', () => {
  test('the terminal and its processes are gone', async () => {
    const { id, pid } = await create();
    const { status, body } = await api.delete(`/api/terminals/${id}`);
    expect([status, body]).toEqual([200, { status: 'ok' }]);
    expect(await listed('?status=all')).not.toContain(id);
    await eventually('the shell is gone', () => processInfo(pid) === undefined);
    const unknown = [404, failed('Terminal not found')];
    const read = await api.get(`/api/terminals/${id}`);
    expect([read.status, read.body]).toEqual(unknown);
    const again = await api.delete(`/api/terminals/${id}`);
    expect([again.status, again.body]).toEqual(unknown);
  });

  test('with a JSON content type and no body', async () => {
    const { id } = await create();
    const headers = { 'content-type': 'application/json' };
    const { status, body } = await api.raw({ method: 'DELETE', path: `/api/terminals/${id}`, headers });
    expect([status, body]).toEqual([200, '{"status":"ok"}']);
  });
});

describe('a shell that exits by itself', () => {
  test('leaves the list, and can still be read', async () => {
    const { id } = await create({ command: ['sh', '-c', 'echo last words; exit 3'] });
    await untilExited(id);
    expect(await listed()).not.toContain(id);
    expect(await listed('?status=running')).not.toContain(id);
    expect(await listed('?status=all')).toContain(id);
    const { body } = await api.get<Terminal>(`/api/terminals/${id}`);
    expect(body).toMatchObject({ status: 'exited', exitCode: 3, signal: null, exitedAt: expect.any(Number) });
    const output = await api.get(`/api/terminals/${id}/output`);
    expect(output.body).toMatchObject({ raw: 'last words', totalLines: 1 });
    const snapshot = await api.get<{ snapshot: string }>(`/api/terminals/${id}/snapshot`);
    expect(snapshot.body).toMatchObject({
      cols: 80,
      rows: 24,
      snapshot: expect.stringContaining('last words'),
    });
  });

  test('takes no input and no size, as if unknown', async () => {
    const { id } = await create({ command: ['true'] });
    await untilExited(id);
    const unknown = [200, failed('Terminal not found')];
    const input = await api.post(`/api/terminals/${id}/input`, { data: 'x' });
    expect([input.status, input.body]).toEqual(unknown);
    const size = await api.post(`/api/terminals/${id}/size`, { cols: 10, rows: 10 });
    expect([size.status, size.body]).toEqual(unknown);
    expect((await api.post(`/api/terminals/${id}/execute`, { prompt: 'x' })).status).toBe(404);
  });

  test('can be dropped', async () => {
    const { id } = await create({ command: ['true'] });
    await untilExited(id);
    expect((await api.delete(`/api/terminals/${id}`)).body).toEqual({ status: 'ok' });
    expect((await api.get(`/api/terminals/${id}`)).status).toBe(404);
  });

  test('killed, reports the signal', async () => {
    const { id, pid } = await create({ command: ['cat'] });
    process.kill(pid, 'SIGKILL');
    await untilExited(id);
    expect((await api.get(`/api/terminals/${id}`)).body).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  });
});

describe('list', () => {
  test.each(['exited', '', 'all&status=all'])('?status=%s is a 400', async (value) => {
    const { status, body } = await api.get<Failure>(`/api/terminals?status=${value}`);
    expect([status, body.error]).toEqual([400, expect.stringMatching(/^status: /)]);
  });

  test('other parameters do not matter', async () => {
    expect((await api.get('/api/terminals?later=1')).status).toBe(200);
  });
});

test('a second service on the same port names its owner', async () => {
  const port = new URL(service.url).port;
  await expect(startService({ args: ['--port', port] })).rejects.toThrow(
    new RegExp(`port ${port} is taken by another instance of auto-terminal`),
  );
});
