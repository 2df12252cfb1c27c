import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { type AppInProcess, startAppInProcess } from '../support/app.js';
import { type Api, createApi, watch } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { dataOf, type FullRecording, startRecording, stopRecording } from '../support/recordings.js';

const LINES = 40_000;
const PROGRAM = `stty -echo; echo ready; read x; i=0; while [ $i -lt ${LINES} ]; do i=$((i+1)); echo "line $i, 漢字 and 🙂"; done; echo "all printed"; exec cat`;
const EXPECTED = `${Array.from({ length: LINES }, (_, index) => `line ${index + 1}, 漢字 and 🙂\r\n`).join('')}all printed\r\n`;

let running: AppInProcess;
let api: Api;
beforeAll(async () => {
  running = await startAppInProcess({ terminals: { shards: 1 } });
  api = createApi(running.app.url);
});
afterAll(() => running.stop());

const screenOf = async (id: string) =>
  (await api.get<{ raw: string }>(`/api/terminals/${id}/output?lines=2`)).body.raw ?? '';

/** A terminal that is being recorded, in the midst of its flood. */
async function flooding(): Promise<{ id: string; recording: string }> {
  const watcher = await watch(running.app.url);
  const { id } = (await api.post<Terminal>('/api/terminals', { command: ['sh', '-c', PROGRAM] })).body;
  await watcher.untilOutput(id, 'ready');
  const recording = await startRecording(api, id);
  await api.post(`/api/terminals/${id}/input`, { data: 'go\r' });
  await watcher.untilOutput(id, 'line 2,');
  await watcher.close();
  return { id, recording };
}

it('a shard that dies in a flood loses and doubles nothing of a recording, which goes on', async () => {
  const { id, recording } = await flooding();
  for (let times = 0; times < 3; times++) {
    const before = await screenOf(id);
    await running.app.terminals.killShard(0);
    await eventually('more is printed', async () => (await screenOf(id)) !== before);
  }
  expect(
    (await api.get<{ activeRecordings: string[] }>('/api/recordings/active')).body.activeRecordings,
  ).toEqual([recording]);
  await eventually('all is printed', async () => (await screenOf(id)).includes('all printed'), 60_000);
  await api.post(`/api/terminals/${id}/resize`, { cols: 99, rows: 22 });
  const full = await stopRecording(api, recording);
  expect(dataOf(full, 'output') === EXPECTED).toBe(true);
  expect(dataOf(full, 'resize')).toBe('99x22');
  expect(running.fatal).toEqual([]);
});

it('a stop at the moment of the death is answered, and the recording ends then or at the next', async () => {
  const { id, recording } = await flooding();
  const [{ status }] = await Promise.all([
    api.post(`/api/recordings/stop/${recording}`),
    running.app.terminals.killShard(0),
  ]);
  expect([200, 503]).toContain(status);
  if (status !== 200) {
    await eventually('it is stopped', async () => {
      const again = await api.post(`/api/recordings/stop/${recording}`);
      return again.status === 200 || again.status === 404;
    });
  }
  await eventually(
    'it is listed',
    async () => (await api.get(`/api/recordings/${recording}`)).status === 200,
  );
  const full = (await api.get<FullRecording>(`/api/recordings/${recording}`)).body;
  expect(EXPECTED.startsWith(dataOf(full, 'output'))).toBe(true);
  await startRecording(api, id);
});
