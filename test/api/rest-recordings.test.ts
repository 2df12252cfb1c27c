import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Failure, type Watcher, watch } from '../support/http.js';
import { ALL_OPTIONS, dataOf, startRecording, stopRecording } from '../support/recordings.js';
import { type Service, startService } from '../support/service.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

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

/** A terminal that only echoes its input. */
async function cat(size: { cols?: number; rows?: number } = {}): Promise<string> {
  const command = ['sh', '-c', 'printf READY; exec cat >/dev/null'];
  const { body } = await api.post<Terminal>('/api/terminals', { command, ...size });
  await watcher.untilOutput(body.id, 'READY');
  return body.id;
}

async function type(id: string, data: string, until = data): Promise<void> {
  await api.post(`/api/terminals/${id}/input`, { data });
  await watcher.untilOutput(id, until.replace(/[\r\n]+$/, ''));
}

const active = async () =>
  (await api.get<{ activeRecordings: string[]; count: number }>('/api/recordings/active')).body;
const listed = async () =>
  (await api.get<{ recordings: Array<{ id: string }> }>('/api/recordings')).body.recordings;
const fail = async (answer: Promise<{ status: number; body: Failure }>) => {
  const { status, body } = await answer;
  return [status, body];
};
const recordingsFolder = () => join(service.home, 'data', 'recordings');

describe('POST /api/recordings/start', () => {
  test('answers 201 with recordingId, terminalId and status', async () => {
    const terminalId = await cat();
    const { status, body } = await api.post<{ recordingId: string }>('/api/recordings/start', {
      terminal_id: terminalId,
    });
    expect(status).toBe(201);
    expect(body).toEqual({ recordingId: expect.stringMatching(UUID), terminalId, status: 'recording' });
  });

  test('404 for an unknown terminal', async () => {
    const answer = api.post<Failure>('/api/recordings/start', { terminal_id: 'term_nobody' });
    expect(await fail(answer)).toEqual([404, failed('Terminal not found')]);
  });

  test('404 for a terminal whose program has exited', async () => {
    const { body } = await api.post<Terminal>('/api/terminals', { command: ['true'] });
    await watcher.until(() =>
      watcher.frames.some(({ event }) => event?.type === 'terminal.exited' && event.terminalId === body.id),
    );
    const answer = api.post<Failure>('/api/recordings/start', { terminal_id: body.id });
    expect(await fail(answer)).toEqual([404, failed('Terminal not found')]);
  });

  test('409 for a terminal that is recorded already, also at the same moment', async () => {
    const terminal_id = await cat();
    const answers = await Promise.all(
      [1, 2, 3].map(() => api.post<Failure>('/api/recordings/start', { terminal_id })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const answer = api.post<Failure>('/api/recordings/start', { terminal_id });
    expect(await fail(answer)).toEqual([409, failed('Terminal is already being recorded')]);
  });

  test.each([
    ['no terminal_id', {}],
    ['a partial options object', { options: { include_output: true } }],
    ['an unknown compression', { options: { ...ALL_OPTIONS, compression: 'zip' } }],
    ['options of a wrong type', { options: { ...ALL_OPTIONS, auto_stop: 'no' } }],
    ['options null', { options: null }],
  ])('400 for %s', async (name, body) => {
    const terminal_id = name === 'no terminal_id' ? undefined : await cat();
    const answer = await api.post<Failure>('/api/recordings/start', { terminal_id, ...body });
    expect([answer.status, typeof answer.body.error]).toEqual([400, 'string']);
  });

  test('options decide what is captured, and compression is a flag only', async () => {
    for (const kind of ['output', 'input', 'resize'] as const) {
      const id = await cat();
      const options = { ...ALL_OPTIONS, [`include_${kind}`]: false, compression: 'none' };
      const recording = await startRecording(api, id, options);
      await type(id, `typed without ${kind}\n`);
      await api.post(`/api/terminals/${id}/resize`, { cols: 90, rows: 20 });
      const full = await stopRecording(api, recording);
      const types = new Set(full.events.map(({ event_type }) => event_type));
      expect(types).toEqual(new Set(['output', 'input', 'resize'].filter((other) => other !== kind)));
      expect(full.compressed).toBe(false);
    }
  });

  test('auto_stop is stored and not enforced: a recording outlives the exit of its program', async () => {
    const { body } = await api.post<Terminal>('/api/terminals', {
      command: ['sh', '-c', 'read x; echo bye $x'],
    });
    const id = await startRecording(api, body.id, { ...ALL_OPTIONS, auto_stop: true });
    await api.post(`/api/terminals/${body.id}/input`, { data: 'now\r' });
    await watcher.until(() =>
      watcher.frames.some(({ event }) => event?.type === 'terminal.exited' && event.terminalId === body.id),
    );
    expect((await active()).activeRecordings).toContain(id);
    const full = await stopRecording(api, id);
    expect(dataOf(full, 'output')).toMatch(/bye now\r\n$/);
    expect(full).toMatchObject({ options: { auto_stop: true } });
  });
});

describe('a recording', () => {
  test('has every field of the full object', async () => {
    const terminalId = await cat({ cols: 100, rows: 30 });
    const id = await startRecording(api, terminalId);
    await type(terminalId, 'x\n');
    const full = await stopRecording(api, id);
    const { profile } = (await api.get<Terminal>(`/api/terminals/${terminalId}`)).body;
    expect(full).toMatchObject({
      ...{ id, terminal_id: terminalId, compressed: true },
      ...{ start_time: expect.stringMatching(ISO), end_time: expect.stringMatching(ISO) },
      metadata: { title: null, shell_type: profile, initial_size: { cols: 100, rows: 30 } },
    });
    expect(Date.parse(full.end_time!)).toBeGreaterThanOrEqual(Date.parse(full.start_time));
    expect(full.events.length).toBeGreaterThan(0);
    for (const event of full.events) {
      expect(Object.keys(event).sort()).toEqual(['data', 'event_type', 'timestamp']);
      expect(Number.isInteger(event.timestamp)).toBe(true);
    }
  });

  test('begins at the present output, has output, input and resizes in their order, and bytes as its size', async () => {
    const terminalId = await cat();
    await type(terminalId, 'not recorded\n');
    const id = await startRecording(api, terminalId);
    await type(terminalId, 'é漢🙂\n');
    await api.post(`/api/terminals/${terminalId}/size`, { cols: 91, rows: 21 });
    await type(terminalId, 'after\n');
    const full = await stopRecording(api, id);
    await type(terminalId, 'too late\n');
    expect(dataOf(full, 'output')).toBe('é漢🙂\r\nafter\r\n');
    expect(dataOf(full, 'input')).toBe('é漢🙂\nafter\n');
    expect(dataOf(full, 'resize')).toBe('91x21');
    expect(full.size).toBe(full.events.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0));
    const outputs = full.events.filter(({ event_type }) => event_type === 'output');
    const resize = full.events.findIndex(({ event_type }) => event_type === 'resize');
    expect(full.events.indexOf(outputs[0]!)).toBeLessThan(resize);
    expect(full.events.indexOf(outputs.at(-1)!)).toBeGreaterThan(resize);
    const times = full.events.map(({ timestamp }) => timestamp);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  test('that begins within a character has the whole of it', async () => {
    const command = ['sh', '-c', `stty -echo; printf 'A\\342\\202'; read x; printf '\\254B'; exec cat`];
    const { id } = (await api.post<Terminal>('/api/terminals', { command })).body;
    await watcher.untilOutput(id, 'A');
    const recording = await startRecording(api, id, { ...ALL_OPTIONS, include_input: false });
    await type(id, '\n', '€B');
    expect(dataOf(await stopRecording(api, recording), 'output')).toBe('€B');
  });

  test('keeps NUL and lone surrogates of typed text', async () => {
    const terminalId = await cat();
    const id = await startRecording(api, terminalId);
    const path = `/api/terminals/${terminalId}/input`;
    const headers = { 'content-type': 'application/json' };
    await api.raw({ method: 'POST', path, headers, body: '{"data":"a\\u0000\\ud800b\\n"}' });
    await watcher.untilOutput(terminalId, 'b');
    expect(dataOf(await stopRecording(api, id), 'input')).toBe('a\0\ud800b\n');
  });

  test('includes input typed by execute and over the WebSocket', async () => {
    const terminalId = await cat();
    const id = await startRecording(api, terminalId);
    await api.post(`/api/terminals/${terminalId}/execute`, { prompt: 'one', cliType: 'default' });
    watcher.send({
      id: '7',
      type: 'command',
      payload: { action: 'terminal:input', terminalId, data: 'two\n' },
    });
    await watcher.untilOutput(terminalId, 'two');
    expect(dataOf(await stopRecording(api, id), 'input')).toBe('\x1b[200~one\x1b[201~\rtwo\n');
  });

  test('is one private file', async () => {
    const terminalId = await cat();
    const id = await startRecording(api, terminalId);
    expect(statSync(join(recordingsFolder(), `${id}.recording`)).mode & 0o777).toBe(0o600);
    expect(statSync(recordingsFolder()).mode & 0o777).toBe(0o700);
    await stopRecording(api, id);
    expect(readdirSync(recordingsFolder()).filter((name) => name.startsWith(id))).toEqual([`${id}.json`]);
    expect(statSync(join(recordingsFolder(), `${id}.json`)).mode & 0o777).toBe(0o600);
  });

  test('of a closed terminal ends with its events', async () => {
    const terminalId = await cat();
    const id = await startRecording(api, terminalId);
    await type(terminalId, 'last words\n');
    await api.delete(`/api/terminals/${terminalId}`);
    const { body: status } = await api.get<{ status: string }>(`/api/recordings/status/${terminalId}`);
    expect(status.status).toBe('not_recording');
    expect((await active()).activeRecordings).not.toContain(id);
    expect((await listed()).map((recording) => recording.id)).toContain(id);
    expect((await api.post(`/api/recordings/stop/${id}`)).body).toMatchObject({
      code: 'recording-not-active',
    });
    const { body } = await api.get<Parameters<typeof dataOf>[0]>(`/api/recordings/${id}`);
    expect(dataOf(body, 'output')).toContain('last words\r\n');
  });
});
