import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OutputPage, Snapshot, Terminal } from '#dist/contract/terminal.js';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Failure, type Watcher, watch } from '../support/http.js';
import { openKeylog } from '../support/keylog.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
let api: Api;
let watcher: Watcher;

beforeAll(async () => {
  service = await sharedService();
  api = createApi(service.url);
  watcher = await watch(service.url);
});
afterAll(async () => {
  await watcher?.close();
  await service?.stop();
});

/** A terminal that runs a script of sh, prints `DONE` and then waits for input. */
async function run(script: string, size: { cols?: number; rows?: number } = {}): Promise<string> {
  const command = ['sh', '-c', `stty -echo; ${script}; printf 'DO''NE'; cat`];
  const { body } = await api.post<Terminal>('/api/terminals', { command, ...size });
  await watcher.untilOutput(body.id, 'DONE');
  return body.id;
}

const output = async (id: string, query = '') =>
  (await api.get<OutputPage>(`/api/terminals/${id}/output${query}`)).body;

describe('input', () => {
  test('reaches the program byte for byte', async () => {
    const keylog = await openKeylog(api, watcher);
    const data = `é漢🙂\x03\x04\x1b[A\t\r\n\0${'x'.repeat(5_000)}end`;
    const { status, body } = await api.post(`/api/terminals/${keylog.id}/input`, { data });
    expect([status, body]).toEqual([200, { status: 'ok' }]);
    const bytes = Buffer.from(data).toString('latin1');
    expect(await keylog.until('end')).toBe(bytes);
  });

  test('a lone surrogate becomes U+FFFD', async () => {
    const keylog = await openKeylog(api, watcher);
    const headers = { 'content-type': 'application/json' };
    const path = `/api/terminals/${keylog.id}/input`;
    const { status } = await api.raw({ method: 'POST', path, headers, body: '{"data":"a\\ud800b\\udc00c"}' });
    expect(status).toBe(200);
    expect(await keylog.until('c')).toBe(Buffer.from('a\ufffdb\ufffdc').toString('latin1'));
  });

  test('requests do not interleave', async () => {
    const keylog = await openKeylog(api, watcher);
    const blocks = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(20_000));
    await Promise.all(blocks.map((data) => api.post(`/api/terminals/${keylog.id}/input`, { data })));
    await watcher.until(() => keylog.reads().join('').length === 80_000);
    expect(
      keylog
        .reads()
        .join('')
        .match(/(.)\1*/g)
        ?.sort(),
    ).toEqual(blocks);
  });

  test('the empty string is no input, and no error', async () => {
    const id = await run('true');
    expect((await api.post(`/api/terminals/${id}/input`, { data: '' })).body).toEqual({ status: 'ok' });
    expect((await api.post('/api/terminals/gone/input', { data: '' })).body).toEqual(
      failed('Terminal not found'),
    );
  });

  test('more than the buffer has room for is refused whole', async () => {
    const keylog = await openKeylog(api, watcher);
    const path = `/api/terminals/${keylog.id}/input`;
    const { status, body } = await api.post(path, { data: 'x'.repeat(2 * 1024 * 1024) });
    expect([status, body]).toEqual([429, failed('Input buffer full')]);
    await api.post(path, { data: 'after' });
    expect(await keylog.until('after')).toBe('after');
  });

  test.each([undefined, {}, { data: 5 }, { data: null }, { data: ['x'] }, []])('%j is a 400', async (bad) => {
    const { status, body } = await api.post<Failure>('/api/terminals/gone/input', bad);
    expect([status, body.error]).toEqual([400, expect.stringMatching(/^(data|body): /)]);
  });

  test('unknown terminal: 200 with an error', async () => {
    const { status, body } = await api.post('/api/terminals/gone/input', { data: 'x' });
    expect([status, body]).toEqual([200, failed('Terminal not found')]);
  });
});

describe('size', () => {
  test.each(['size', 'resize'])('POST %s reaches the program', async (route) => {
    const script = `
      process.stdout.on('resize', () => console.log(process.stdout.rows + ' ' + process.stdout.columns));
      process.stdin.resume();
      process.stdout.write('READY');`;
    const created = await api.post<Terminal>('/api/terminals', { command: [process.execPath, '-e', script] });
    const { id } = created.body;
    await watcher.untilOutput(id, 'READY');
    const { status, body } = await api.post(`/api/terminals/${id}/${route}`, { cols: 111, rows: 33 });
    expect([status, body]).toEqual([200, { status: 'ok', cols: 111, rows: 33 }]);
    await watcher.untilOutput(id, '33 111');
    expect((await api.get(`/api/terminals/${id}/size`)).body).toEqual({ cols: 111, rows: 33 });
    expect((await api.get(`/api/terminals/${id}/snapshot`)).body).toMatchObject({ cols: 111, rows: 33 });
  });

  test.each([
    undefined,
    {},
    { cols: 80 },
    { cols: 0, rows: 24 },
    { cols: 80, rows: -5 },
    { cols: 70_000, rows: 24 },
    { cols: 80.5, rows: 24 },
    { cols: '80', rows: '24' },
  ])('%j is a 400', async (bad) => {
    const { status, body } = await api.post<Failure>('/api/terminals/gone/size', bad);
    expect([status, body.error]).toEqual([400, expect.stringMatching(/^(cols|rows|body): /)]);
  });

  test('unknown terminal: POST 200 with an error, GET 404', async () => {
    for (const route of ['size', 'resize']) {
      const { status, body } = await api.post(`/api/terminals/gone/${route}`, { cols: 80, rows: 24 });
      expect([status, body]).toEqual([200, failed('Terminal not found')]);
    }
    const { status, body } = await api.get('/api/terminals/gone/size');
    expect([status, body]).toEqual([404, failed('Terminal not found')]);
  });
});

describe('output', () => {
  test('pages of the printed lines', async () => {
    const id = await run('seq 1 100');
    const lines = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, at) => from + at).join('\n');
    expect(await output(id)).toMatchObject({ totalLines: 101, offset: 0, raw: `${lines(52, 100)}\nDONE` });
    expect(await output(id, '?lines=3')).toMatchObject({ raw: '99\n100\nDONE' });
    expect(await output(id, '?last_lines=2')).toMatchObject({ raw: '100\nDONE' });
    expect(await output(id, '?lines=1&last_lines=2')).toMatchObject({ raw: 'DONE' });
    expect(await output(id, '?lines=3&offset=10')).toMatchObject({
      totalLines: 101,
      offset: 10,
      raw: '11\n12\n13',
    });
    expect(await output(id, '?offset=99')).toMatchObject({ offset: 99, raw: '100\nDONE' });
    expect(await output(id, '?offset=5000')).toMatchObject({ totalLines: 101, raw: '' });
    expect(await output(id, '?lines=0')).toMatchObject({ totalLines: 101, raw: '' });
    expect((await output(id, '?lines=999999')).raw).toBe(`${lines(1, 100)}\nDONE`);
  });

  test('escape sequences, trailing blanks and empty lines are no text; wrapped rows are one line', async () => {
    const long = 'word '.repeat(30).trim();
    const id = await run(`printf '\\033[31mred\\033[0m   \\n\\n\\n  in\\n%s\\n' '${long}'`, { cols: 40 });
    expect(await output(id)).toMatchObject({ totalLines: 4, raw: `red\n  in\n${long}\nDONE` });
  });

  test('text printed since a cursor', async () => {
    const id = await run('echo first');
    const { cursor } = await output(id);
    expect(cursor).toEqual(expect.any(String));
    expect(await output(id, `?since=${encodeURIComponent(cursor!)}`)).toMatchObject({ raw: '', gap: false });
    await api.post(`/api/terminals/${id}/input`, { data: 'second\nthird\n' });
    await watcher.untilOutput(id, 'third');
    const later = await output(id, `?since=${encodeURIComponent(cursor!)}`);
    expect(later).toMatchObject({ gap: false, cursor: expect.any(String), offset: 0 });
    expect(later.raw).toContain('second\nthird');
    expect(later.raw).not.toContain('first');
    expect((await output(id, `?since=${encodeURIComponent(later.cursor!)}`)).raw).toBe('');
  });

  test('a cursor older than the history is reported', async () => {
    const command = ['sh', '-c', "stty -echo; echo first; read go; seq 1 200000; printf 'DO''NE'; cat"];
    const { body } = await api.post<Terminal>('/api/terminals', { command });
    await watcher.untilOutput(body.id, 'first');
    const { cursor } = await output(body.id);
    await api.post(`/api/terminals/${body.id}/input`, { data: '\n' });
    await watcher.untilOutput(body.id, 'DONE');
    expect(await output(body.id, `?since=${encodeURIComponent(cursor!)}&lines=2`)).toMatchObject({
      gap: true,
      raw: '200000\nDONE',
    });
  });

  test.each([
    'lines=x',
    'lines=-1',
    'lines=1.5',
    'lines=',
    'lines=1&lines=2',
    'last_lines=a',
    'lines=99999999999999999999',
  ])('?%s is a 400', async (query) => {
    const { status, body } = await api.get<Failure>(`/api/terminals/gone/output?${query}`);
    expect([status, body.error]).toEqual([400, expect.stringMatching(/^(lines|last_lines): /)]);
  });

  test.each(['offset=x', 'offset=-1'])('?%s is a 400', async (query) => {
    expect((await api.get(`/api/terminals/gone/output?${query}`)).status).toBe(400);
  });

  test.each(['', 'x', '-1', '%00', '{}', '1'.repeat(500)])('the cursor %j is a 400', async (cursor) => {
    const id = await run('true');
    const { status, body } = await api.get(`/api/terminals/${id}/output?since=${cursor}`);
    expect([status, body]).toEqual([400, failed('Invalid cursor')]);
  });

  test('unknown or empty terminal: zeros', async () => {
    const { status, body } = await api.get('/api/terminals/gone/output?lines=5&offset=3');
    expect([status, body]).toEqual([200, { totalLines: 0, offset: 0, raw: '' }]);
    const created = await api.post<Terminal>('/api/terminals', {
      command: ['sh', '-c', 'stty -echo; read x'],
    });
    expect(await output(created.body.id)).toMatchObject({ totalLines: 0, offset: 0, raw: '' });
  });
});

describe('snapshot', () => {
  test('the screen with its colours; cols and rows of the query do not matter', async () => {
    const id = await run("printf '\\033[31mred\\033[0m'", { cols: 50, rows: 10 });
    const { status, body } = await api.get<Snapshot>(`/api/terminals/${id}/snapshot?cols=7&rows=x`);
    expect([status, body.cols, body.rows]).toEqual([200, 50, 10]);
    expect(body.snapshot).toContain('\x1b[31mred');
  });

  test('unknown terminal: zeros', async () => {
    const { status, body } = await api.get('/api/terminals/gone/snapshot');
    expect([status, body]).toEqual([200, { snapshot: '', rows: 0, cols: 0 }]);
  });
});
