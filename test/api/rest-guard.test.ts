import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';
import type { Terminal } from '#dist/contract/terminal.js';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Failure, type Watcher, watch } from '../support/http.js';
import { type Keylog, openKeylog } from '../support/keylog.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let api: Api;
let watcher: Watcher;
let keylog: Keylog;

beforeAll(async () => {
  service = await startService();
  api = createApi(service.url);
  watcher = await watch(service.url);
  keylog = await openKeylog(api, watcher);
});
afterAll(async () => {
  await watcher?.close();
  await service?.stop();
});

const json = { 'content-type': 'application/json' };
const errorOf = (text: string): string => (JSON.parse(text) as Failure).error;

/** Checks that no refused input reached the shell: it has read only the test's own input. */
async function expectNothingTyped(): Promise<void> {
  const before = keylog.reads().join('');
  expect(before).not.toContain('evil');
  await api.post(`/api/terminals/${keylog.id}/input`, { data: 'ok' });
  expect(await keylog.until(`${before}ok`)).toBe(`${before}ok`);
}

describe('another page, or another name, reaches no shell', () => {
  const attempts: [string, Record<string, string>, number][] = [
    ['a foreign Origin', { ...json, origin: 'http://evil.com' }, 403],
    ['the Origin null', { ...json, origin: 'null' }, 403],
    ['a foreign Host', { ...json, host: 'evil.com:42031' }, 403],
    ['a Host that begins as ours', { ...json, host: '127.0.0.1.evil.com' }, 403],
    ['text/plain', { 'content-type': 'text/plain' }, 403],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 403],
    ['multipart', { 'content-type': 'multipart/form-data; boundary=x' }, 403],
    ['XML', { 'content-type': 'application/xml' }, 415],
    ['no content type', {}, 415],
  ];

  test.each(attempts)('%s', async (_name, headers, expected) => {
    for (const path of [
      `/api/terminals/${keylog.id}/input`,
      `/api/terminals/${keylog.id}/execute`,
      '/api/terminals/batch/input',
    ]) {
      const body = JSON.stringify({ data: 'evil', prompt: 'evil', terminalIds: [keylog.id] });
      const { status, body: answer } = await api.raw({ method: 'POST', path, headers, body });
      expect([status, JSON.parse(answer)]).toEqual([expected, failed()]);
    }
    await expectNothingTyped();
  });

  const upgrade = (options: ClientOptions, path: string) =>
    new WebSocket(`${service.url.replace('http', 'ws')}${path}`, options);

  test.each(['/ws', '/api/ws'])('a WebSocket on %s', async (path) => {
    for (const options of [
      { origin: 'http://evil.com' },
      { origin: 'null' },
      { headers: { host: 'evil.com' } },
    ]) {
      const [, response] = await once(upgrade(options, path), 'unexpected-response');
      expect(response.statusCode).toBe(403);
      // The connection ends with the answer: a refused page holds nothing open.
      await once(response.resume(), 'close');
    }
  });

  test('a program without an Origin gets its WebSocket', async () => {
    const socket = upgrade({}, '/api/ws');
    await once(socket, 'open');
    socket.close();
    await once(socket, 'close');
  });
});

describe('bad input leaves the service running', () => {
  const create = '/api/terminals';

  test.each(['{', '{"cols":', '[1,', 'nul', '"\\ud800', '\u0001', '{"__proto__":{"cols":5}}'])(
    '%j',
    async (body) => {
      const { status, body: answer } = await api.raw({ method: 'POST', path: create, headers: json, body });
      expect([status, errorOf(answer)]).toEqual([400, expect.stringContaining('valid JSON')]);
    },
  );

  test('9 MiB are 413, 7 MiB are read', async () => {
    const path = `/api/terminals/${keylog.id}/input`;
    const huge = JSON.stringify({ data: 'x'.repeat(9 * 1024 * 1024) });
    const refused = await api.raw({ method: 'POST', path, headers: json, body: huge });
    expect([refused.status, errorOf(refused.body)]).toEqual([413, expect.any(String)]);
    const large = JSON.stringify({ data: 'x'.repeat(7 * 1024 * 1024) });
    const read = await api.raw({ method: 'POST', path, headers: json, body: large });
    expect([read.status, errorOf(read.body)]).toEqual([429, 'Input buffer full']);
    await expectNothingTyped();
  });

  test.each(['a%2Fb', 'a/b', '..%2f..%2fetc', '%00', '__proto__', 'x'.repeat(9_000)])(
    'the id %.20s',
    async (id) => {
      const { status, body } = await api.raw({ path: `${create}/${id}` });
      expect([status, errorOf(body)]).toEqual([404, id === 'a/b' ? 'Not found' : 'Terminal not found']);
    },
  );

  test('the id %', async () => {
    const { status, body } = await api.raw({ path: `${create}/%` });
    expect([status, errorOf(body)]).toEqual([400, expect.any(String)]);
  });

  test('unknown routes', async () => {
    for (const path of ['/', '/api', '/api/nothing', '/api/terminals//', '/API/terminals']) {
      const { status, body } = await api.raw({ path });
      expect([status, JSON.parse(body)]).toEqual([404, failed(expect.stringContaining('ot found'))]);
    }
  });

  test('the service still works', async () => {
    const { status, body } = await api.post<Terminal>(create);
    expect(status).toBe(200);
    expect((await api.delete(`${create}/${body.id}`)).status).toBe(200);
  });
});
