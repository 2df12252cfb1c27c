import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BatchAnswer } from '#dist/contract/execute.js';
import type { Terminal } from '#dist/contract/terminal.js';
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

const paste = (text: string) => `\x1b[200~${text}\x1b[201~`;
const execute = (id: string, body: unknown, route = 'execute') =>
  api.post<Failure & { success: boolean; cursor: string }>(`/api/terminals/${id}/${route}`, body);
const batch = (route: 'execute' | 'input', body: unknown) =>
  api.post<BatchAnswer & Failure>(`/api/terminals/batch/${route}`, body);

/** Bodies that are invalid for any terminal, with their documented messages. */
const REFUSED: [unknown, string | RegExp][] = [
  [{}, 'Prompt must be a non-empty string'],
  [{ prompt: '' }, 'Prompt must be a non-empty string'],
  [{ prompt: 5 }, 'Prompt must be a non-empty string'],
  [{ prompt: null }, 'Prompt must be a non-empty string'],
  [{ prompt: 'x', cliType: 'nope' }, 'Unknown CLI type: nope'],
  [{ prompt: 'x', cliType: '' }, 'Unknown CLI type: '],
  [{ prompt: 'x', cliType: '__proto__' }, 'Unknown CLI type: __proto__'],
  [{ prompt: 'x', cliType: 'custom' }, 'customPattern is required when cliType is custom'],
  [{ prompt: 'x', cliType: 'custom', customPattern: {} }, /^customPattern\[end_indicator\]: /],
  [{ prompt: 'x', cliType: 'custom', customPattern: 'END' }, /^customPattern: /],
  [{ prompt: 'x', cliType: 5 }, /^cliType: /],
  [{ prompt: 'x', submissionSignal: 5 }, /^submissionSignal: /],
  [{ prompt: 'x', useBracketedPaste: 'no' }, /^useBracketedPaste: /],
];

describe('execute', () => {
  test('returns the cursor from before, from which a wait misses nothing', async () => {
    const keylog = await openKeylog(api, watcher);
    const { body } = await execute(keylog.id, { prompt: 'waited for', useBracketedPaste: false });
    const typed = Buffer.from('waited for').toString('hex');
    await watcher.untilOutput(keylog.id, typed);
    const wait = { until: 'text', text: typed, since: body.cursor, timeoutMs: 30_000 };
    expect((await api.post(`/api/terminals/${keylog.id}/wait`, wait)).body).toMatchObject({ done: true });
    const none = { ...wait, text: 'READY', timeoutMs: 0 };
    expect((await api.post(`/api/terminals/${keylog.id}/wait`, none)).body).toMatchObject({ done: false });
  });

  test.each(['execute', 'prompt'])('/%s answers at once with the typed keystrokes', async (route) => {
    const keylog = await openKeylog(api, watcher);
    const { status, body } = await execute(keylog.id, { prompt: 'one\ntwo' }, route);
    const cursor = expect.any(String);
    expect([status, body]).toEqual([200, { success: true, prompt: 'one\ntwo', cliType: 'agent_a', cursor }]);
    expect(await keylog.until(`${paste('one\rtwo')}\r`)).toBe(`${paste('one\rtwo')}\r`);
    expect(keylog.reads().at(-1)).toBe('\r');
  });

  const SUBMITS: [Record<string, unknown>, string][] = [
    [{ cliType: 'default' }, '\r'],
    [{ cliType: 'agent_b' }, '\x1b\r'],
    [{ cliType: 'agent_c' }, '\r'],
    [{ cliType: 'agent_d' }, '\r'],
    [{ cliType: 'custom', customPattern: { separator: '\n', end_indicator: 'END\r' } }, '\nEND\r'],
    [{ cliType: 'custom', customPattern: { end_indicator: 'END' } }, 'END'],
    [{ cliType: 'custom', customPattern: { end_indicator: 'END' }, submissionSignal: '\x04' }, '\x04'],
    [{ submissionSignal: '\r\n\r\n' }, '\r\n\r\n'],
  ];
  test.each(SUBMITS)('%j submits with %j', async (options, submit) => {
    const keylog = await openKeylog(api, watcher);
    const { body } = await execute(keylog.id, { prompt: 'x', ...options });
    expect(body).toMatchObject({ success: true, cliType: options.cliType ?? 'agent_a' });
    expect(await keylog.until(`x\x1b[201~${submit}`)).toBe(`${paste('x')}${submit}`);
  });

  test('useBracketedPaste: false types the prompt bare', async () => {
    const keylog = await openKeylog(api, watcher);
    await execute(keylog.id, { prompt: 'bare', useBracketedPaste: false });
    expect(await keylog.until('bare\r')).toBe('bare\r');
  });

  test('no prompt can break out of the paste', async () => {
    const keylog = await openKeylog(api, watcher);
    await execute(keylog.id, { prompt: 'a\x1b[20\x1b[201~1~rm -rf /\x1b[201~\rb', submissionSignal: '!' });
    expect(await keylog.until('!')).toBe(`${paste('arm -rf /\rb')}!`);
  });

  test('prompts to one terminal do not mix, submit included', async () => {
    const keylog = await openKeylog(api, watcher);
    const prompts = ['first', 'second', 'third'];
    await Promise.all(prompts.map((prompt) => execute(keylog.id, { prompt })));
    await watcher.until(
      () =>
        (keylog
          .reads()
          .join('')
          .match(/201~\r/g)?.length ?? 0) === 3,
    );
    const typed = keylog
      .reads()
      .join('')
      .split(/(?<=201~\r)/);
    expect(typed.sort()).toEqual(prompts.map((prompt) => `${paste(prompt)}\r`));
  });

  test('a shell runs the lines of a prompt', async () => {
    const { body } = await api.post<Terminal>('/api/terminals');
    await execute(body.id, { prompt: 'echo $((40+1))\necho $((40+2))', cliType: 'default' });
    const printed = await watcher.untilOutput(body.id, '42\r\n');
    expect(printed).toContain('41\r\n');
  });

  test.each(REFUSED)('%j is a 400', async (bad, message) => {
    const { status, body } = await execute('gone', bad);
    const expected = typeof message === 'string' ? message : expect.stringMatching(message);
    expect([status, body]).toEqual([400, failed(expected)]);
  });

  test('the body is checked before the id', async () => {
    const { status, body } = await execute('gone', { prompt: 'x' });
    expect([status, body]).toEqual([404, failed('Terminal not found')]);
  });

  test('more than the input buffer holds', async () => {
    const keylog = await openKeylog(api, watcher);
    const { status, body } = await execute(keylog.id, { prompt: 'x'.repeat(2 * 1024 * 1024) });
    expect([status, body]).toEqual([429, failed('Input buffer full')]);
  });

  test('a lone surrogate in a prompt is typed as U+FFFD', async () => {
    const keylog = await openKeylog(api, watcher);
    await execute(keylog.id, { prompt: 'a\ud800b' });
    expect(await keylog.until('\r')).toBe(`${paste(Buffer.from('a\ufffdb').toString('latin1'))}\r`);
  });
});

describe('batch', () => {
  test('the same prompt to each terminal once, unknown ones reported', async () => {
    const [one, two] = [await openKeylog(api, watcher), await openKeylog(api, watcher)];
    const terminalIds = [two.id, 'gone', one.id, two.id, 'gone'];
    const { status, body } = await batch('execute', { terminalIds, prompt: 'hi\nyou', cliType: 'agent_b' });
    expect(status).toBe(200);
    expect(body).toEqual({
      results: [
        { terminalId: two.id, success: true },
        expect.objectContaining({ terminalId: 'gone', success: false, error: 'Terminal not found' }),
        { terminalId: one.id, success: true },
      ],
      summary: { total: 3, succeeded: 2, failed: 1 },
    });
    const keys = `${paste('hi\ryou')}\x1b\r`;
    for (const keylog of [one, two]) expect(await keylog.until('\x1b\r')).toBe(keys);
  });

  test('raw input, nothing added', async () => {
    const keylog = await openKeylog(api, watcher);
    const { status, body } = await batch('input', {
      terminalIds: [keylog.id, keylog.id],
      data: 'a\nb\x1b[201~!',
    });
    expect([status, body]).toEqual([
      200,
      { results: [{ terminalId: keylog.id, success: true }], summary: { total: 1, succeeded: 1, failed: 0 } },
    ]);
    expect(await keylog.until('!')).toBe('a\nb\x1b[201~!');
  });

  test("a full input buffer is one terminal's failure", async () => {
    const keylog = await openKeylog(api, watcher);
    const { status, body } = await batch('input', {
      terminalIds: [keylog.id],
      data: 'x'.repeat(2 * 1024 * 1024),
    });
    expect(status).toBe(200);
    expect(body.results).toMatchObject([
      { terminalId: keylog.id, success: false, error: 'Input buffer full', code: 'input-buffer-full' },
    ]);
  });

  test('all unknown is still a 200', async () => {
    const { status, body } = await batch('execute', { terminalIds: ['a', 'b'], prompt: 'x' });
    expect([status, body.summary]).toEqual([200, { total: 2, succeeded: 0, failed: 2 }]);
  });

  test.each(REFUSED)('%j fails the whole batch', async (bad, message) => {
    const { status, body } = await batch('execute', { ...(bad as object), terminalIds: ['gone'] });
    const expected = typeof message === 'string' ? message : expect.stringMatching(message);
    expect([status, body]).toEqual([400, failed(expected)]);
  });

  test.each([undefined, [], 'term_1', [5], {}, Array.from({ length: 10_001 }, (_, at) => `t${at}`)])(
    'terminalIds %.30j is a 400',
    async (terminalIds) => {
      for (const [route, rest] of [
        ['execute', { prompt: 'x' }],
        ['input', { data: 'x' }],
      ] as const) {
        const { status, body } = await batch(route, { terminalIds, ...rest });
        expect([status, body.error]).toEqual([400, expect.stringMatching(/^terminalIds/)]);
      }
    },
  );

  test('input without data is a 400', async () => {
    for (const data of [undefined, 5, null]) {
      const { status, body } = await batch('input', { terminalIds: ['gone'], data });
      expect([status, body.error]).toEqual([400, expect.stringMatching(/^data: /)]);
    }
  });
});
