import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChangesAnswer } from '#dist/contract/changes.js';
import type { OutputPage, Terminal } from '#dist/contract/terminal.js';
import { type Api, createApi, type Failure } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let api: Api;

beforeAll(async () => {
  service = await startService({ env: { SHELL: '/bin/sh' } });
  api = createApi(service.url);
});
afterAll(() => service?.stop());

/** A terminal that prints each typed line once. */
async function echoing(): Promise<string> {
  const command = ['sh', '-c', 'stty -echo; echo ready; exec cat'];
  const { status, body } = await api.post<Terminal>('/api/terminals', { command });
  expect(status).toBe(200);
  await printed(body.id, 'ready');
  return body.id;
}

const output = async (id: string, query = '') =>
  (await api.get<OutputPage>(`/api/terminals/${id}/output?${query}`)).body;
const cursorOf = async (id: string) => (await output(id)).cursor!;
const say = (id: string, text: string) => api.post(`/api/terminals/${id}/input`, { data: `${text}\r` });

/** Resolves once the terminal's output contains the text. */
async function printed(id: string, text: string): Promise<void> {
  await eventually(`${id} prints ${text}`, async () => (await output(id, 'lines=100000')).raw.includes(text));
}

async function changes(cursors: Record<string, string | null>, more: object = {}) {
  const { status, body } = await api.post<ChangesAnswer>('/api/terminals/changes', { cursors, ...more });
  expect(status).toBe(200);
  return body;
}

describe('POST /api/terminals/changes', () => {
  test("returns each terminal's output since its cursor, and leaves out those that have printed nothing", async () => {
    const [one, two, quiet] = [await echoing(), await echoing(), await echoing()];
    const cursors = {
      [one]: await cursorOf(one),
      [two]: await cursorOf(two),
      [quiet]: await cursorOf(quiet),
    };
    expect(await changes(cursors)).toEqual({ changes: [], missing: [], invalid: [] });
    await say(one, 'first\rsecond');
    await say(two, 'third');
    await Promise.all([printed(one, 'second'), printed(two, 'third')]);
    const { changes: told } = await changes(cursors);
    const byId = Object.fromEntries(told.map((change) => [change.id, change]));
    const whole = { gap: false, truncated: false, cursor: expect.any(String) };
    expect(byId).toEqual({
      [one]: { id: one, raw: 'first\nsecond\n', ...whole },
      [two]: { id: two, raw: 'third\n', ...whole },
    });
    // `changes` and /output take each other's cursors, and continue at the cursor's position.
    expect((await output(one, `since=${cursors[one]}`)).raw).toBe('first\nsecond\n');
    expect((await output(one, `since=${byId[one]?.cursor}`)).raw).toBe('');
    await say(one, 'fourth');
    await printed(one, 'fourth');
    const next = await changes({ [one]: byId[one]!.cursor, [two]: byId[two]!.cursor });
    expect(next.changes.map(({ id, raw }) => [id, raw])).toEqual([[one, 'fourth\n']]);
  });

  test('distinguishes a finished line from an unfinished one, and the pieces make up the text', async () => {
    const command = ['sh', '-c', 'stty -echo; echo ready; while IFS= read -r line; do printf "$line"; done'];
    const { id } = (await api.post<Terminal>('/api/terminals', { command })).body;
    await printed(id, 'ready');
    let cursor = await cursorOf(id);
    let read = '';
    for (const [written, piece] of [
      ['one\\n', 'one\n'],
      ['one', 'one'],
      ['\\n\\ntwo', '\n\ntwo'],
      [' \\033[1mthree\\n', ' three\n'],
    ]) {
      await say(id, written!);
      await eventually(
        `${written} is printed`,
        async () => (await changes({ [id]: cursor })).changes.length > 0,
      );
      expect((await output(id, `since=${cursor}`)).raw).toBe(piece);
      const [change] = (await changes({ [id]: cursor })).changes;
      read += change!.raw;
      cursor = change!.cursor;
    }
    expect(read).toBe('one\none\n\ntwo three\n');
  });

  test('null asks for all kept output', async () => {
    const id = await echoing();
    await say(id, 'something');
    await printed(id, 'something');
    const { changes: told } = await changes({ [id]: null });
    expect(told.map(({ raw, gap, truncated }) => [raw, gap, truncated])).toEqual([
      ['ready\nsomething\n', false, false],
    ]);
  });

  test('maxBytes keeps the end of each, from the beginning of a line on', async () => {
    const id = await echoing();
    const cursor = await cursorOf(id);
    await say(id, 'alpha\rbravo\rcharlie');
    await printed(id, 'charlie');
    const ask = async (maxBytes: number) => (await changes({ [id]: cursor }, { maxBytes })).changes[0];
    expect(await ask(14)).toMatchObject({ raw: 'bravo\ncharlie\n', truncated: true, gap: false });
    expect(await ask(20)).toMatchObject({ raw: 'alpha\nbravo\ncharlie\n', truncated: false, gap: false });
    expect(await ask(0)).toMatchObject({ raw: '', truncated: true });
  });

  test('gap if older output has gone from the history', async () => {
    const command = ['sh', '-c', 'echo begin; read go; seq 100000; echo done; exec cat'];
    const { id } = (await api.post<Terminal>('/api/terminals', { command })).body;
    await printed(id, 'begin');
    const cursor = await cursorOf(id);
    await say(id, '');
    await printed(id, 'done');
    const { changes: told } = await changes({ [id]: cursor }, { maxBytes: 1_048_576 });
    expect(told[0]).toMatchObject({ gap: true });
    expect(told[0]?.raw).toMatch(/\n99999\n100000\ndone\n$/);
  });

  test('unknown ids are named, and so are those with a foreign cursor; the others are answered', async () => {
    const id = await echoing();
    const other = await echoing();
    const answer = await changes({ gone: 'x', toString: null, [other]: 'no cursor', [id]: null });
    expect(answer.missing.sort()).toEqual(['gone', 'toString']);
    expect(answer.invalid).toEqual([other]);
    expect(answer.changes.map((change) => change.id)).toEqual([id]);
  });

  test('hundreds at once, in one request', async () => {
    const ids: string[] = [];
    // On a slow machine, the service would be too busy for all at once, and would refuse some.
    while (ids.length < 200) ids.push(...(await Promise.all(Array.from({ length: 20 }, echoing))));
    const cursors = Object.fromEntries(
      await Promise.all(ids.map(async (id) => [id, await cursorOf(id)] as const)),
    );
    await api.post('/api/terminals/batch/input', { terminalIds: ids, data: 'all of you\r' });
    await Promise.all(ids.map((id) => printed(id, 'all of you')));
    const { changes: told } = await changes(cursors);
    expect(new Set(told.map(({ id }) => id))).toEqual(new Set(ids));
    expect(new Set(told.map(({ raw }) => raw))).toEqual(new Set(['all of you\n']));
  });

  test.each([
    ['nothing', undefined],
    ['no cursors', {}],
    ['a list', { cursors: [] }],
    ['a number as cursor', { cursors: { a: 5 } }],
    [
      '10,001 terminals',
      { cursors: Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [at, null])) },
    ],
    ['maxBytes below 0', { cursors: {}, maxBytes: -1 }],
    ['maxBytes over 1 MiB', { cursors: {}, maxBytes: 1_048_577 }],
  ])('%s: a 400', async (_what, body) => {
    const { status, body: answer } = await api.post<Failure>('/api/terminals/changes', body);
    expect([status, answer.error]).toEqual([400, expect.any(String)]);
  });
});
