import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActiveRecordings } from '#dist/contract/recording.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Failure } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { type FullRecording, startRecording, stopRecording } from '../support/recordings.js';
import { type Service, startService } from '../support/service.js';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let service: Service;
let api: Api;

beforeAll(async () => {
  service = await startService();
  api = createApi(service.url);
});
afterAll(() => service?.stop());

const terminal = async () => (await api.post<Terminal>('/api/terminals', { command: ['cat'] })).body.id;
const stopped = async () => stopRecording(api, await startRecording(api, await terminal()));
const list = async () => (await api.get<{ recordings: object[] }>('/api/recordings')).body.recordings;

describe('POST /api/recordings/stop/:id', () => {
  test('answers recordingId, status, size and eventCount', async () => {
    const id = await startRecording(api, await terminal());
    const { status, body } = await api.post(`/api/recordings/stop/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({ recordingId: id, status: 'stopped', size: 0, eventCount: 0 });
  });

  test.each(['unknown', 'stopped', 'a terminal'])('404 for an id that is %s', async (what) => {
    const { id, terminal_id } = await stopped();
    const given = { unknown: UNKNOWN, stopped: id, 'a terminal': terminal_id }[what];
    const { status, body } = await api.post(`/api/recordings/stop/${given}`);
    expect([status, body]).toEqual([404, failed('Recording not found or not active')]);
  });

  test('of two at the same moment one answers 200, the other 404', async () => {
    const id = await startRecording(api, await terminal());
    const answers = await Promise.all([1, 2].map(() => api.post(`/api/recordings/stop/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
  });

  test('the terminal can be recorded again', async () => {
    const { terminal_id, id } = await stopped();
    const second = await startRecording(api, terminal_id);
    expect(second).not.toBe(id);
    await stopRecording(api, second);
  });
});

describe('GET /api/recordings', () => {
  test('lists only stopped ones, newest first, with exactly the fields of a summary', async () => {
    const first = await stopped();
    const second = await stopped();
    const running = await startRecording(api, await terminal());
    const recordings = (await list()) as Array<{ id: string }>;
    const summaryOf = (recording: FullRecording) => ({
      id: recording.id,
      terminalId: recording.terminal_id,
      startTime: recording.start_time,
      endTime: recording.end_time,
      size: recording.size,
      eventCount: recording.events.length,
    });
    expect(recordings.slice(0, 2)).toEqual([summaryOf(second), summaryOf(first)]);
    expect(recordings.map(({ id }) => id)).not.toContain(running);
  });
});

describe('GET /api/recordings/:id and /info', () => {
  test('info has the fields of a summary, compressed, duration and metadata, and no events', async () => {
    const full = await stopped();
    const { status, body } = await api.get(`/api/recordings/${full.id}/info`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: full.id,
      terminalId: full.terminal_id,
      startTime: full.start_time,
      endTime: full.end_time,
      eventCount: full.events.length,
      size: full.size,
      compressed: true,
      duration: Date.parse(full.end_time!) - Date.parse(full.start_time),
      metadata: full.metadata,
    });
  });

  test('the full object is JSON of a known length', async () => {
    const { id } = await stopped();
    const { headers, body } = await api.raw({ path: `/api/recordings/${id}` });
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(Number(headers['content-length'])).toBe(Buffer.byteLength(body));
  });

  test.each([
    ['GET', ''],
    ['GET', '/info'],
    ['DELETE', ''],
    ['POST', '/export'],
  ])('%s %s: 404 for an unknown id, for odd ids, and for a running recording', async (method, path) => {
    const running = await startRecording(api, await terminal());
    for (const id of [UNKNOWN, running, 'x', '..%2f..%2fstore', '__proto__']) {
      const answer = await api.raw({
        ...{ method, path: `/api/recordings/${id}${path}` },
        ...(method === 'POST' && {
          headers: { 'content-type': 'application/json' },
          body: '{"format":"json"}',
        }),
      });
      expect([answer.status, JSON.parse(answer.body)]).toEqual([404, failed('Recording not found')]);
    }
    await stopRecording(api, running);
  });
});

describe('DELETE /api/recordings/:id', () => {
  test('answers 204 and removes the file', async () => {
    const { id } = await stopped();
    const { status, body } = await api.delete(`/api/recordings/${id}`);
    expect([status, body]).toEqual([204, undefined]);
    const files = readdirSync(join(service.home, 'data', 'recordings'));
    expect(files.filter((name) => name.startsWith(id))).toEqual([]);
    expect((await api.delete<Failure>(`/api/recordings/${id}`)).status).toBe(404);
    expect(JSON.stringify(await list())).not.toContain(id);
  });

  test('of two at the same moment one answers 204, the other 404', async () => {
    const { id } = await stopped();
    const answers = await Promise.all([1, 2].map(() => api.delete(`/api/recordings/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
  });
});

describe('the setting recordings', () => {
  const idsOf = async () => ((await list()) as { id: string }[]).map(({ id }) => id);

  test('deletes the oldest beyond maxBytes, at once and for good, and leaves alone what runs', async () => {
    for (const id of await idsOf()) await api.delete(`/api/recordings/${id}`);
    const typed = async () => {
      const id = await terminal();
      const recording = await startRecording(api, id);
      await api.post(`/api/terminals/${id}/input`, { data: 'kept or not\r' });
      await api.post(`/api/terminals/${id}/wait`, { until: 'text', text: 'kept or not\r\nkept or not' });
      return recording;
    };
    const [first, second, running] = [await typed(), await typed(), await typed()];
    await stopRecording(api, first);
    const { size, id: newest } = await stopRecording(api, second);
    expect(await idsOf()).toEqual([newest, first]);
    const patched = await api.patch('/api/settings', { recordings: { maxBytes: size } });
    expect(patched).toMatchObject({ status: 200, body: { recordings: { keepDays: 0, maxBytes: size } } });
    const files = () => readdirSync(join(service.home, 'data', 'recordings')).join();
    await eventually('the first is gone', () => !files().includes(first));
    expect(await idsOf()).toEqual([newest]);
    expect(files()).toContain(running);
    expect((await api.patch('/api/settings', { recordings: { keepDays: -1 } })).status).toBe(400);
    expect((await api.patch('/api/settings', { recordings: null })).status).toBe(200);
    await stopRecording(api, running);
    expect(await idsOf()).toEqual([running, newest]);
  });
});

describe('GET /api/recordings/status/:terminalId and /active', () => {
  test('show running recordings', async () => {
    const terminalId = await terminal();
    const status = async () => (await api.get(`/api/recordings/status/${terminalId}`)).body;
    const active = async () =>
      (await api.get<{ activeRecordings: string[]; count: number }>('/api/recordings/active')).body;
    expect(await status()).toEqual({ terminalId, isRecording: false, status: 'not_recording' });
    const before = await active();
    const id = await startRecording(api, terminalId);
    expect(await status()).toEqual({ terminalId, isRecording: true, status: 'recording', recordingId: id });
    expect(await active()).toEqual({
      activeRecordings: [...before.activeRecordings, id],
      count: before.count + 1,
    });
    const full = async () =>
      (await api.get<ActiveRecordings>('/api/recordings/active?view=full')).body.recordings ?? [];
    await api.post(`/api/terminals/${terminalId}/input`, { data: 'echo $((40 + 2))\r' });
    await eventually('the size counts what was printed', async () => {
      const recording = (await full()).find((each) => each.id === id);
      return recording?.size !== null && (recording?.size ?? 0) > 0;
    });
    const { startTime, ...rest } = (await full()).find((each) => each.id === id)!;
    expect(rest).toMatchObject({ id, terminalId, eventCount: expect.any(Number) });
    expect(Date.parse(startTime)).toBeLessThanOrEqual(Date.now());
    await stopRecording(api, id);
    expect(await full()).not.toContainEqual(expect.objectContaining({ id }));
    expect(await status()).toEqual({ terminalId, isRecording: false, status: 'not_recording' });
    expect(await active()).toEqual(before);
  });

  test('an unknown terminal is not recorded', async () => {
    const { status, body } = await api.get('/api/recordings/status/term_nobody');
    expect([status, body]).toEqual([
      200,
      { terminalId: 'term_nobody', isRecording: false, status: 'not_recording' },
    ]);
  });
});
