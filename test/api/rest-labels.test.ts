import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BatchAnswer } from '#dist/contract/execute.js';
import type { BatchRunAnswer } from '#dist/contract/run.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Failure, type Watcher, watch } from '../support/http.js';
import { openKeylog } from '../support/keylog.js';
import { eventually } from '../support/processes.js';
import { found, search } from '../support/search.js';
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

const create = async (labels?: object, more: object = { command: ['cat'] }) =>
  (await api.post<Terminal & Failure>('/api/terminals', { labels, ...more })).body;
const patch = (id: string, body: unknown) => api.patch<Terminal & Failure>(`/api/terminals/${id}`, body);
const selected = async (selector: string, query = '') => {
  const path = `/api/terminals?selector=${encodeURIComponent(selector)}${query}`;
  const { status, body } = await api.get<{ terminals: Terminal[] } & Failure>(path);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.terminals.map(({ id }) => id).sort();
};

describe('labels', () => {
  test('are set at creation, and are part of the Terminal object and of terminal.created', async () => {
    const lifecycle = await watch(service.url, 'events=lifecycle');
    const labels = { role: 'test', 'team/repo': 'api v2', empty: '' };
    const terminal = await create(labels);
    expect(terminal.labels).toEqual(labels);
    expect((await api.get<Terminal>(`/api/terminals/${terminal.id}`)).body).toEqual(terminal);
    await lifecycle.until(() =>
      lifecycle.frames.some(
        ({ event }) => event?.type === 'terminal.created' && event.terminalId === terminal.id,
      ),
    );
    expect(lifecycle.frames.at(-1)?.event?.data).toEqual(terminal);
    expect((await create()).labels).toEqual({});
    await lifecycle.close();
  });

  test('are changed by PATCH: merged into the existing ones, null removes one', async () => {
    const { id, name } = await create({ a: '1', b: '2' });
    const { status, body } = await patch(id, { labels: { b: null, c: '3', gone: null } });
    expect([status, body.labels, body.name]).toEqual([200, { a: '1', c: '3' }, name]);
    expect((await patch(id, { name: 'renamed' })).body).toMatchObject({
      name: 'renamed',
      labels: body.labels,
    });
    expect((await patch(id, {})).body).toMatchObject({ name: 'renamed', labels: body.labels });
    expect((await api.get<Terminal>(`/api/terminals/${id}`)).body.labels).toEqual({ a: '1', c: '3' });
  });

  test.each([
    ['a name that begins with a sign', { labels: { '-x': '1' } }, 400],
    ['an empty name', { labels: { '': '1' } }, 400],
    ['a name with a space', { labels: { 'a b': '1' } }, 400],
    ['a value with a comma', { labels: { a: 'x,y' } }, 400],
    ['a value with an equals sign', { labels: { a: 'x=y' } }, 400],
    ['a value that begins with a blank', { labels: { a: ' x' } }, 400],
    ['a value that ends with a blank', { labels: { a: 'x\n' } }, 400],
    ['a value that is a blank', { labels: { a: ' ' } }, 400],
    ['a value of 257 characters', { labels: { a: 'x'.repeat(257) } }, 400],
    ['a number', { labels: { a: 1 } }, 400],
    ['a text', { labels: 'a=1' }, 400],
    ['65 labels', { labels: Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`l${at}`, ''])) }, 400],
    ['a value of 256 characters', { labels: { a: 'x'.repeat(256) } }, 200],
  ])('%s', async (_what, body, status) => {
    const { id } = await create();
    const answer = await patch(id, body);
    expect([answer.status, answer.body.error]).toEqual([
      status,
      status === 200 ? undefined : expect.stringMatching(/^labels/),
    ]);
    const created = await api.post<Failure>('/api/terminals', { command: ['cat'], ...body });
    expect(created.status).toBe(status);
  });

  test('of an unknown terminal are a 404', async () => {
    const { status, body } = await patch('gone', { labels: {} });
    expect([status, body]).toEqual([404, failed('Terminal not found')]);
  });

  test('survive the service', async () => {
    const first = await startService({ env: { SHELL: '/bin/sh' } });
    const body = { command: ['cat'], labels: { kept: 'yes' } };
    const { id } = (await createApi(first.url).post<Terminal>('/api/terminals', body)).body;
    await createApi(first.url).patch(`/api/terminals/${id}`, { labels: { also: 'this' } });
    await first.kill('SIGKILL');
    const second = await startService({ home: first.home });
    const { terminals } = (await createApi(second.url).get<{ terminals: Terminal[] }>('/api/terminals')).body;
    expect(terminals.map((each) => [each.id, each.labels])).toEqual([[id, { kept: 'yes', also: 'this' }]]);
    await second.stop();
  });
});

describe('selector', () => {
  test('lists the terminals that have all of the labels', async () => {
    const one = await create({ suite: 'list', role: 'test', repo: 'api' });
    const two = await create({ suite: 'list', role: 'test', repo: 'web' });
    const three = await create({ suite: 'list', role: 'build', repo: 'api' });
    const both = [one.id, two.id].sort();
    const spoken = await create({ suite: 'spoken', role: 'two  words\nand a line' });
    expect(await selected(' role=two  words\nand a line , suite=spoken')).toEqual([spoken.id]);
    expect(await selected('suite=list')).toEqual([...both, three.id].sort());
    expect(await selected('suite=list,role=test')).toEqual(both);
    expect(await selected(' role=test , suite=list , repo=api ')).toEqual([one.id]);
    expect(await selected('suite=list,role=none')).toEqual([]);
    expect(await selected('nobody=has')).toEqual([]);
    expect(await selected('toString=')).toEqual([]);
    await patch(two.id, { labels: { role: 'done' } });
    expect(await selected('suite=list,role=test')).toEqual([one.id]);
  });

  test('finds exited terminals with status=all', async () => {
    const { id } = await create({ suite: 'exited' }, { command: ['true'] });
    await eventually('it is out of the list', async () => (await selected('suite=exited')).length === 0);
    expect(await selected('suite=exited', '&status=all')).toEqual([id]);
  });

  test.each(['', 'role', 'role=a=b', '=x', 'a=1,', ',a=1', 'a=1,a=2', 'a b=1', 'x'.repeat(10_001)])(
    '%s is a 400 everywhere',
    async (selector) => {
      const answers = await Promise.all([
        api.get<Failure>(`/api/terminals?selector=${encodeURIComponent(selector)}`),
        api.post<Failure>('/api/terminals/batch/execute', { selector, prompt: 'x' }),
        api.post<Failure>('/api/terminals/batch/input', { selector, data: 'x' }),
        api.post<Failure>('/api/terminals/batch/run', { selector, command: 'x' }),
        api.post<Failure>('/api/search', { selector, query: 'x' }),
      ]);
      for (const { status, body } of answers)
        expect([status, body.error]).toEqual([400, expect.stringMatching(/^selector: /)]);
    },
  );

  test('chooses the terminals of batch execute and batch input', async () => {
    const [one, two, other] = await Promise.all(['a', 'a', 'b'].map(() => openKeylog(api, watcher)));
    await patch(one!.id, { labels: { suite: 'batch', role: 'a' } });
    await patch(two!.id, { labels: { suite: 'batch', role: 'a' } });
    await patch(other!.id, { labels: { suite: 'batch', role: 'b' } });
    const selector = 'suite=batch,role=a';
    const executed = await api.post<BatchAnswer>('/api/terminals/batch/execute', {
      selector,
      prompt: 'hi',
      cliType: 'default',
    });
    expect(executed.body.summary).toEqual({ total: 2, succeeded: 2, failed: 0 });
    const ids = executed.body.results.map(({ terminalId }) => terminalId);
    expect(ids.sort()).toEqual([one!.id, two!.id].sort());
    const typed = await api.post<BatchAnswer>('/api/terminals/batch/input', { selector, data: '!' });
    expect(typed.body.summary).toEqual({ total: 2, succeeded: 2, failed: 0 });
    for (const keylog of [one!, two!]) expect(await keylog.until('!')).toBe('\x1b[200~hi\x1b[201~\r!');
    expect(other!.reads()).toEqual([]);
  });

  test('chooses the terminals of batch run', async () => {
    const labels = { suite: 'run' };
    const ids = (await Promise.all([1, 2].map(() => create(labels, { command: ['sh'] })))).map(
      ({ id }) => id,
    );
    await create({ suite: 'other' }, { command: ['sh'] });
    const body = { selector: 'suite=run', command: 'echo ran; (exit 4)' };
    const answer = await api.post<BatchRunAnswer>('/api/terminals/batch/run', body);
    const told = answer.body.results.map(({ terminalId, exitCode, raw }) => [terminalId, exitCode, raw]);
    expect(told.sort()).toEqual(ids.map((id) => [id, 4, 'ran\n']).sort());
  });

  test('that matches nothing is a 200 without results', async () => {
    for (const [route, rest] of [
      ['execute', { prompt: 'x' }],
      ['input', { data: 'x' }],
    ] as const) {
      const { status, body } = await api.post(`/api/terminals/batch/${route}`, {
        selector: 'nobody=has',
        ...rest,
      });
      expect([status, body]).toEqual([200, { results: [], summary: { total: 0, succeeded: 0, failed: 0 } }]);
    }
    const run = await api.post('/api/terminals/batch/run', { selector: 'nobody=has', command: 'x' });
    const summary = { total: 0, succeeded: 0, failed: 0, done: 0, zero: 0, nonZero: 0 };
    expect([run.status, run.body]).toEqual([200, { runId: expect.any(String), results: [], summary }]);
  });

  test('together with terminalIds, or neither, is a 400', async () => {
    for (const target of [{ selector: 'a=1', terminalIds: ['x'] }, {}]) {
      for (const [route, rest] of [
        ['execute', { prompt: 'x' }],
        ['input', { data: 'x' }],
        ['run', { command: 'x' }],
      ] as const) {
        const { status, body } = await api.post<Failure>(`/api/terminals/batch/${route}`, {
          ...target,
          ...rest,
        });
        expect([status, body.error]).toEqual([400, expect.stringMatching(/^terminalIds: /)]);
      }
    }
  });

  test('restricts a search to existing terminals that have the labels', async () => {
    const print = async (labels: object) =>
      (await create(labels, { command: ['sh', '-c', 'echo a dunnart; exec cat'] })).id;
    const one = await print({ suite: 'search', role: 'a' });
    const two = await print({ suite: 'search', role: 'b' });
    const three = await print({ suite: 'search', role: 'a' });
    await found(api, 'dunnart', 3);
    const ids = async (more: object) =>
      (await search(api, { query: 'dunnart', ...more })).map((hit) => hit.document.terminalId).sort();
    expect(await ids({ selector: 'suite=search,role=a' })).toEqual([one, three].sort());
    expect(await ids({ selector: 'suite=search' })).toEqual([one, two, three].sort());
    expect(await ids({ selector: 'suite=search,role=a', filters: { terminalId: three } })).toEqual([three]);
    expect(await ids({ selector: 'suite=search,role=a', filters: { terminalId: two } })).toEqual([]);
    expect(await ids({ selector: 'suite=search,role=b', filters: { type: 'input' } })).toEqual([]);
    expect(await ids({ selector: 'nobody=has' })).toEqual([]);
    await api.delete(`/api/terminals/${one}`);
    expect(await ids({ selector: 'suite=search,role=a' })).toEqual([three]);
    expect(await ids({})).toHaveLength(3);
  });
});
