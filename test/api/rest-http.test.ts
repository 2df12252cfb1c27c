import { once } from 'node:events';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Failure } from '../support/http.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let api: Api;
beforeAll(async () => {
  service = await startService();
  api = createApi(service.url);
});
afterAll(() => service?.stop());

const json = { 'content-type': 'application/json' };

/** Sends the text as it is, and returns everything received until the connection ends. */
async function talk(text: string): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  let answer = '';
  socket.on('data', (chunk: string) => {
    answer += chunk;
  });
  socket.end(text);
  await once(socket, 'close');
  return answer;
}

function parsed(answer: string): { status: number; body: unknown } {
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
  return { status, body: JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) };
}

describe('Host', () => {
  test.each([
    ['missing in HTTP/1.1', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['missing in HTTP/1.0', 'GET /health HTTP/1.0\r\n\r\n'],
    ['twice', 'GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
    [
      'twice, the second foreign',
      'GET /health HTTP/1.1\r\nHost: localhost\r\nhost: evil\r\nConnection: close\r\n\r\n',
    ],
    [
      'twice, the second behind more headers than Node counts',
      `GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${'a:b\r\n'.repeat(2_500)}Host: evil\r\n\r\n`,
    ],
    ['missing in an upgrade', 'GET /ws HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ])('%s is 400', async (_name, text) => {
    expect(parsed(await talk(text))).toEqual({
      status: 400,
      body: expect.objectContaining({ code: 'host-not-one', error: expect.stringContaining('Host') }),
    });
  });
});

test('browsers withhold answers from pages of other sites that ask without an Origin', async () => {
  for (const path of ['/api/terminals', '/nowhere']) {
    const { headers } = await fetch(service.url + path);
    expect(headers.get('cross-origin-resource-policy')).toBe('same-site');
  }
});

test('a foreign Origin behind more headers than Node counts is 403', async () => {
  const head = `GET /api/terminals HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${'a:b\r\n'.repeat(2_500)}`;
  const { status } = parsed(await talk(`${head}Origin: http://evil.example\r\n\r\n`));
  expect(status).toBe(403);
});

describe('the coding of a body', () => {
  const create = (headers: Record<string, string>, body: string | Buffer = '{}') =>
    api.raw({ method: 'POST', path: '/api/terminals', headers: { ...json, ...headers }, body });

  test.each(['utf-16', 'iso-8859-1', '"latin1"', 'us-ascii'])('charset %s is 415', async (charset) => {
    const { status, body } = await create({ 'content-type': `application/json; charset=${charset}` });
    expect([status, JSON.parse(body)]).toEqual([415, failed('The body is not declared as UTF-8')]);
  });

  test.each(['utf-8', 'UTF-8', '"utf-8"', 'utf8'])('charset %s is read', async (charset) => {
    const { status, body } = await create({ 'content-type': `application/json; charset=${charset}` });
    expect(status).toBe(200);
    await api.delete(`/api/terminals/${(JSON.parse(body) as Terminal).id}`);
  });

  test.each(['gzip', 'br', 'deflate', 'identity, gzip'])('Content-Encoding %s is 415', async (encoding) => {
    const { status, body } = await create({ 'content-encoding': encoding });
    expect([status, JSON.parse(body)]).toEqual([415, failed(expect.stringContaining('Content-Encoding'))]);
  });

  test('bytes that are not UTF-8 are 400', async () => {
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]]) {
      const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]);
      const answer = await create({}, body);
      expect([answer.status, JSON.parse(answer.body)]).toEqual([400, failed('The body is not valid UTF-8')]);
    }
  });
});

describe('methods and paths', () => {
  test.each([
    ['PUT', '/api/terminals', 'GET, HEAD, POST'],
    ['DELETE', '/api/terminals', 'GET, HEAD, POST'],
    ['PATCH', '/health', 'GET, HEAD'],
    ['POST', '/health', 'GET, HEAD'],
    ['GET', '/api/terminals/batch/run', 'POST'],
    ['POST', '/api/terminals/term_x', 'DELETE, GET, HEAD, PATCH'],
    ['OPTIONS', '/api/terminals/term_x/input', 'POST'],
    ['PUT', '/api/terminals/', 'GET, HEAD, POST'],
    ['PROPFIND', '/api/profiles', 'GET, HEAD, POST'],
    ['TRACE', '/api/layout?x=1', 'GET, HEAD, POST'],
    ['POST', '/docs', 'GET, HEAD'],
  ])('%s %s is 405', async (method, path, allow) => {
    const { status, headers, body } = await api.raw({ method, path });
    expect([status, headers.allow, JSON.parse(body)]).toEqual([405, allow, failed('Method not allowed')]);
  });

  test('a wrong method is reported before its body is looked at', async () => {
    const { status } = await api.raw({ method: 'PUT', path: '/api/terminals', headers: json, body: '{' });
    expect(status).toBe(405);
  });

  test('a trailing slash is the same route', async () => {
    for (const path of ['/api/terminals/', '/health/', '/api/profiles/', '/api/terminals/?status=all']) {
      const [one, other] = [await api.raw({ path }), await api.raw({ path: path.replace(/\/(?=\?|$)/, '') })];
      expect([one.status, one.body]).toEqual([200, other.body]);
    }
    for (const path of ['/api/terminals//', '/api/nothing/', '//', '/api//terminals']) {
      const { status, body } = await api.raw({ path });
      expect([path, status, JSON.parse(body)]).toEqual([path, 404, failed('Not found')]);
    }
  });
});

describe('headers of answers', () => {
  const paths = [
    '/health',
    '/api/terminals',
    '/api/settings?reveal=true',
    '/api/nothing',
    '/api/terminals/%',
    '/metrics',
  ];

  test.each(paths)(
    '%s is kept by no cache, sniffed by no browser, and reveals its URL to no page',
    async (path) => {
      const { headers } = await api.raw({ path });
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
    },
  );

  test('pages may be cached, and the document is revalidated by its ETag', async () => {
    expect((await api.raw({ path: '/openapi.json' })).headers['cache-control']).toBe('no-cache');
    for (const path of ['/docs/', '/docs/static/swagger-ui.css']) {
      const { status, headers } = await api.raw({ path });
      expect([path, status, headers['x-content-type-options']]).toEqual([path, 200, 'nosniff']);
      expect(headers['cache-control']).not.toBe('no-store');
    }
  });

  test('answers to broken requests have them, too', async () => {
    const answer = (await talk('nonsense\r\n\r\n')).toLowerCase();
    expect(answer).toContain('x-content-type-options: nosniff');
    expect(parsed(await talk('nonsense\r\n\r\n')).body).toEqual(failed('Bad Request'));
    const large = `GET /health HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`;
    expect(parsed(await talk(large))).toEqual({
      status: 431,
      body: failed('Request Header Fields Too Large'),
    });
  });

  test('429 says when to try again', async () => {
    const { body } = await api.post<Terminal>('/api/terminals', { command: ['sleep', '1000'] });
    const data = 'x'.repeat(1_100_000);
    const path = `/api/terminals/${body.id}/input`;
    const answer = await api.raw({ method: 'POST', path, headers: json, body: JSON.stringify({ data }) });
    expect([answer.status, answer.headers['retry-after'], JSON.parse(answer.body)]).toEqual([
      429,
      '1',
      { error: 'Input buffer full', code: 'input-buffer-full', fix: expect.stringContaining('1 MiB') },
    ]);
    await api.delete(`/api/terminals/${body.id}`);
  });
});

describe('failures say what to do', () => {
  test('an unknown cliType names the known ones', async () => {
    const { body } = await api.post<Failure>('/api/terminals/x/execute', { prompt: 'x', cliType: 'nope' });
    expect(body).toEqual({
      error: 'Unknown CLI type: nope',
      code: 'unknown-cli-type',
      fix: expect.stringMatching(/default, agent_a, .*custom/),
    });
  });

  test.each([
    ['prompt-empty', '/api/terminals/x/execute', { prompt: '' }],
    ['invalid-request', '/api/terminals', { cols: 0 }],
    ['invalid-request', '/api/terminals', []],
  ])('%s is the code of %s with %j', async (code, path, sent) => {
    const { status, body } = await api.post<Failure>(path, sent);
    expect([status, body]).toEqual([400, expect.objectContaining({ error: expect.any(String), code })]);
  });

  test('an unknown field is named in the answer, and changes nothing else', async () => {
    const { status, body } = await api.post<Terminal>('/api/terminals', { colls: 99, cols: 70, shell: 'x' });
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ warnings: ['unknown field: colls', 'unknown field: shell'] }),
    ]);
    const shown = await api.get<Terminal>(`/api/terminals/${body.id}`);
    expect(shown.body).not.toHaveProperty('warnings');
    expect(shown.body).not.toHaveProperty('colls');
    const { body: plain } = await api.post<Terminal>('/api/terminals', { cols: 70 });
    expect(plain).not.toHaveProperty('warnings');
    for (const { id } of [body, plain]) await api.delete(`/api/terminals/${id}`);
  });

  test('unknown keys of the config file are named in the log', async () => {
    const home = await mkdtemp(join(tmpdir(), 'at-test-'));
    await mkdir(join(home, 'config'));
    await writeFile(join(home, 'config', 'config.json'), '{"network":{"prot":1},"serach":{}}');
    const own = await startService({ home });
    expect(own.log()).toMatch(/"keys":\["network.prot","serach"\]/);
    await own.stop();
  });

  test('in a batch, too, and if an unknown terminal is a 200', async () => {
    const unknown = { error: 'Terminal not found', code: 'terminal-not-found', fix: expect.any(String) };
    const batch = await api.post('/api/terminals/batch/input', { terminalIds: ['x'], data: 'x' });
    expect(batch.body).toMatchObject({ results: [{ terminalId: 'x', success: false, ...unknown }] });
    expect(await api.post('/api/terminals/x/input', { data: 'x' })).toMatchObject({
      status: 200,
      body: unknown,
    });
  });
});
