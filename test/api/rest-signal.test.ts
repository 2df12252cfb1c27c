import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import type { WaitAnswer } from '#dist/contract/wait.js';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Failure } from '../support/http.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
let api: Api;

beforeAll(async () => {
  service = await sharedService();
  api = createApi(service.url);
});
afterAll(() => service?.stop());

const signal = (id: string, name: string) =>
  api.post<Failure & { signal?: string }>(`/api/terminals/${id}/signal`, { signal: name });
const create = async (body: object = {}) => (await api.post<Terminal>('/api/terminals', body)).body.id;
const wait = async (id: string, body: object) =>
  (await api.post<WaitAnswer>(`/api/terminals/${id}/wait`, { timeoutMs: 60_000, ...body })).body;

/** A shell of this kind at its prompt. */
async function shell(command: string[]): Promise<string> {
  const id = await create({ command });
  expect(await wait(id, { until: 'prompt' })).toMatchObject({ done: true });
  return id;
}

/** Types a line, and waits until what it runs has printed the text. */
async function started(id: string, line: string, text: string): Promise<string> {
  const { cursor } = await wait(id, { until: 'prompt' });
  await api.post(`/api/terminals/${id}/input`, { data: `${line}\r` });
  expect(await wait(id, { until: 'text', text, since: cursor })).toMatchObject({ done: true });
  return cursor;
}

const NO_JOB = { status: 409, body: { code: 'no-foreground-job' } };

describe('POST /api/terminals/:id/signal', () => {
  test.each([
    ['bash', 'sh -c \'echo o""k; exec sleep 1000\'', ['bash']],
    ['zsh', 'sh -c \'echo o""k; exec sleep 1000\'', ['zsh']],
    ['fish', 'sh -c \'echo o""k; exec sleep 1000\'', ['fish']],
  ])('ends the job of %s, and never the shell', async (_, line, command) => {
    const id = await shell(command);
    const since = await started(id, line, 'ok');
    expect(await signal(id, 'TERM')).toMatchObject({
      status: 200,
      body: { status: 'ok', signal: 'SIGTERM' },
    });
    expect(await wait(id, { until: 'command', since })).toMatchObject({ done: true, exitCode: 143 });
    await wait(id, { until: 'prompt' });
    for (const name of ['KILL', 'INT', 'HUP']) expect(await signal(id, name)).toMatchObject(NO_JOB);
    expect((await api.get<Terminal>(`/api/terminals/${id}`)).body.status).toBe('running');
  });

  test('reaches every process of a pipeline, also behind a program that has turned Ctrl+C off', async () => {
    const id = await shell(['bash']);
    // The process that prints also sleeps: a signal might be lost while a second program starts.
    const line = `(stty -isig; sh -c 'echo o""k; exec sleep 1000'; :) | cat`;
    const since = await started(id, line, 'ok');
    expect((await signal(id, 'sigint')).body).toMatchObject({ signal: 'SIGINT' });
    expect(await wait(id, { until: 'command', since })).toMatchObject({ done: true, exitCode: 130 });
  });

  test('SIGINT ends what a shell does by itself', async () => {
    const id = await shell(['bash']);
    const since = await started(id, "echo o''k; while :; do read -t 1 x < <(:); done", 'ok');
    expect((await signal(id, 'INT')).status).toBe(200);
    expect(await wait(id, { until: 'command', since })).toMatchObject({ done: true, exitCode: 130 });
  });

  test('reaches the program of a terminal without a shell, and its end is known', async () => {
    const id = await create({
      command: ['sh', '-c', 'trap "echo caught" USR1; echo ready; while :; do sleep 0.1; done'],
    });
    await wait(id, { until: 'text', text: 'ready' });
    expect((await signal(id, 'USR1')).status).toBe(200);
    expect(await wait(id, { until: 'text', text: 'caught' })).toMatchObject({ done: true });
    expect((await signal(id, 'KILL')).status).toBe(200);
    expect(await wait(id, { until: 'exit' })).toMatchObject({ done: true });
    expect((await api.get(`/api/terminals/${id}`)).body).toMatchObject({
      status: 'exited',
      signal: 'SIGKILL',
    });
    expect(await signal(id, 'TERM')).toMatchObject({ status: 404, body: failed('Terminal not found') });
  });

  test('a stopped job is no longer in the foreground', async () => {
    const id = await shell(['bash']);
    await started(id, 'sh -c \'echo o""k; exec sleep 1000\'', 'ok');
    expect((await signal(id, 'STOP')).status).toBe(200);
    await wait(id, { until: 'prompt' });
    expect(await signal(id, 'CONT')).toMatchObject(NO_JOB);
    const { cursor } = await wait(id, { until: 'prompt' });
    await api.post(`/api/terminals/${id}/input`, { data: 'kill -9 %1; wait\r' });
    await wait(id, { until: 'command', since: cursor });
  });

  test.each(['NOPE', '9', 'SIGSIGINT', '', ' INT'])(
    'refuses the name %j, and lists the known names',
    async (name) => {
      const { status, body } = await signal('term_none', name);
      expect([status, body]).toEqual([400, expect.objectContaining({ code: 'unknown-signal' })]);
      expect(body.error).toMatch(/HUP, INT, QUIT/);
    },
  );

  test('unknown id: 404', async () => {
    expect(await signal('term_none', 'INT')).toMatchObject({
      status: 404,
      body: failed('Terminal not found'),
    });
  });
});
