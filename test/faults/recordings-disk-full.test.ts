import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { type Api, createApi, type Watcher, watch } from '../support/http.js';
import { limitProcess } from '../support/limit-process.js';
import { eventually } from '../support/processes.js';
import { dataOf, type FullRecording, startRecording } from '../support/recordings.js';
import { type Service, startService } from '../support/service.js';

/** Largest size of a file for the service: as on a full disk, a write is short, and the next one fails. */
const FILE_LIMIT = 700_001;

let service: Service;
let api: Api;
let watcher: Watcher;
beforeAll(async () => {
  service = await startService();
  api = createApi(service.url);
  watcher = await watch(service.url);
});
afterAll(async () => {
  await watcher?.close();
  await service?.stop();
});

it('a write that fails ends only its recording, with its events so far', async () => {
  const command = ['sh', '-c', `read x; seq 1 200000; echo DO''NE; exec cat`];
  const { id } = (await api.post<Terminal>('/api/terminals', { command, index: false })).body;
  const recording = await startRecording(api, id);
  limitProcess(service.pid, `--fsize=${FILE_LIMIT}:unlimited`);
  await api.post(`/api/terminals/${id}/input`, { data: 'go\r' });
  await watcher.untilOutput(id, 'DONE');
  await eventually(
    'it is listed',
    async () => (await api.get(`/api/recordings/${recording}`)).status === 200,
  );
  limitProcess(service.pid, '--fsize=unlimited:unlimited');

  const full = (await api.get<FullRecording>(`/api/recordings/${recording}`)).body;
  const output = dataOf(full, 'output');
  const printed = `go\r\n${Array.from({ length: 200_000 }, (_, index) => `${index + 1}\r\n`).join('')}`;
  expect(output.length).toBeGreaterThan(FILE_LIMIT / 4);
  expect(printed.startsWith(output)).toBe(true);
  expect(full.size).toBe(Buffer.byteLength(output + dataOf(full, 'input')));
  expect(service.log()).toContain('a recording could not continue and has ended');

  // The terminal goes on, and can be recorded again.
  const facts = { size: full.size, eventCount: full.events.length, truncated: true };
  const stopped = await api.post(`/api/recordings/stop/${recording}`);
  expect([stopped.status, stopped.body]).toEqual([
    200,
    { recordingId: recording, status: 'stopped', ...facts },
  ]);
  const { recordings } = (await api.get<{ recordings: object[] }>('/api/recordings')).body;
  expect(recordings).toEqual([expect.objectContaining({ id: recording, ...facts })]);
  expect((await api.get(`/api/recordings/${recording}/info`)).body).toMatchObject({
    id: recording,
    ...facts,
  });
  expect(full).toMatchObject({ truncated: true });
  await startRecording(api, id);
  await api.post(`/api/terminals/${id}/input`, { data: 'still here\r' });
  await watcher.untilOutput(id, 'still here\r\nstill here');
});
