import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { type AppInProcess, startAppInProcess } from '../support/app.js';
import { type Api, createApi, watch } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { dataOf, type FullRecording, startRecording, stopRecording } from '../support/recordings.js';

const ROUNDS = ['one', 'two', 'three', 'four'];
const LINES = 25_000;

/** Prints a flood for each typed line. */
const PROGRAM = `stty -echo; echo ready; while read round; do i=0; while [ $i -lt ${LINES} ]; do i=$((i+1)); echo "$round $i, 漢字 and 🙂"; done; done`;
const floodOf = (round: string) =>
  Array.from({ length: LINES }, (_, index) => `${round} ${index + 1}, 漢字 and 🙂\r\n`).join('');

let running: AppInProcess;
let api: Api;
beforeAll(async () => {
  running = await startAppInProcess({ terminals: { shards: 1 } });
  api = createApi(running.app.url);
});
afterAll(() => running.stop());

/** A terminal that is being recorded. */
async function recorded(): Promise<{ id: string; recording: string }> {
  const watcher = await watch(running.app.url);
  const { id } = (await api.post<Terminal>('/api/terminals', { command: ['sh', '-c', PROGRAM] })).body;
  await watcher.untilOutput(id, 'ready');
  await watcher.close();
  return { id, recording: await startRecording(api, id) };
}

/** Starts a flood; resolves while the flood runs. */
async function flood(id: string, round: string): Promise<void> {
  const watcher = await watch(running.app.url, `terminals=${id}`);
  await api.post(`/api/terminals/${id}/input`, { data: `${round}\r` });
  await watcher.untilOutput(id, `${round} 2,`);
  await watcher.close();
}

it('a shard that dies in a flood loses and doubles nothing of a recording, which goes on', async () => {
  const { id, recording } = await recorded();
  for (const round of ROUNDS) {
    await flood(id, round);
    await (await running.app.terminals.shards).kill(0);
  }
  const { body } = await api.get<{ activeRecordings: string[] }>('/api/recordings/active');
  expect(body.activeRecordings).toEqual([recording]);
  await eventually('all is printed', () => hasPrinted(id, `four ${LINES},`));
  await api.post(`/api/terminals/${id}/resize`, { cols: 99, rows: 22 });
  const full = await stopRecording(api, recording);
  expect(dataOf(full, 'output') === ROUNDS.map(floodOf).join('')).toBe(true);
  expect(dataOf(full, 'resize')).toBe('99x22');
  expect(running.fatal).toEqual([]);
});

async function hasPrinted(id: string, text: string): Promise<boolean> {
  const { body } = await api.get<{ raw?: string }>(`/api/terminals/${id}/output?lines=2`);
  return body.raw?.includes(text) ?? false;
}

it('a stop at the moment of the death is answered, and the recording ends then or at the next stop', async () => {
  const { id, recording } = await recorded();
  await flood(id, 'last');
  const [{ status }] = await Promise.all([
    api.post(`/api/recordings/stop/${recording}`),
    running.app.terminals.shards.then((shards) => shards.kill(0)),
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
  // The recording may have stopped within a character.
  const output = dataOf(full, 'output').replace(/\ufffd$/, '');
  expect(floodOf('last').startsWith(output)).toBe(true);
  expect(output.includes('last 2,')).toBe(true);
  await startRecording(api, id);
});
