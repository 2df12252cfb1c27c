import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { type AppInProcess, startAppInProcess } from '../support/app.js';
import { type Api, createApi, watch } from '../support/http.js';
import { inThreads } from '../support/in-thread.js';
import { eventually } from '../support/processes.js';
import { startRecording } from '../support/recordings.js';

let running: AppInProcess;
let api: Api;

beforeAll(async () => {
  running = await startAppInProcess({ terminals: { shards: 1 } });
  api = createApi(running.app.url);
});
afterAll(() => running.stop());

it('a shard that hangs is replaced, and its terminals answer and go on', async () => {
  const command = ['sh', '-c', 'seq 1 500; echo ready; exec cat'];
  const { id } = (await api.post<Terminal>('/api/terminals', { command })).body;
  await api.post(`/api/terminals/${id}/wait`, { until: 'text', text: 'ready' });
  const screen = async () => (await api.get<{ data: string }>(`/api/terminals/${id}/snapshot`)).body.data;
  const before = await screen();
  const watcher = await watch(running.app.url, `terminals=${id}`);
  expect(await inThreads('/shard/main.js', 'for (;;);')).toBe(1);
  await eventually('the screen, from another shard', async () => {
    const { status } = await api.get(`/api/terminals/${id}/snapshot`);
    // Until then each call waits for the shard as long as a call may.
    expect([200, 503]).toContain(status);
    return status === 200;
  });
  expect(await screen()).toBe(before);
  await api.post(`/api/terminals/${id}/input`, { data: 'still here\r' });
  await watcher.untilOutput(id, 'still here');
  await watcher.close();
  expect(running.fatal).toEqual([]);
});

it('an export breaks off when its thread dies, and the next one is whole', async () => {
  // More than the buffers between the thread and a client that does not read.
  const script = "read go; yes 'a line of an export' | head -n 1000000; echo the end; exec cat";
  const { id } = (await api.post<Terminal>('/api/terminals', { command: ['sh', '-c', script] })).body;
  const recording = await startRecording(api, id);
  await api.post(`/api/terminals/${id}/input`, { data: 'go\r' });
  await api.post(`/api/terminals/${id}/wait`, { until: 'text', text: 'the end' });
  await api.post(`/api/recordings/stop/${recording}`);
  const exported = () =>
    fetch(`${running.app.url}/api/recordings/${recording}/export`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ format: 'text' }),
    });
  const broken = await exported();
  expect(broken.status).toBe(200);
  // Each job thread begins with piscina's own file.
  expect(await inThreads('/piscina/dist/worker.js', 'process.exit(1)')).toBeGreaterThan(0);
  await expect(broken.text()).rejects.toThrow();
  const whole = await exported();
  expect([whole.status, (await whole.text()).includes('the end')]).toEqual([200, true]);
  expect(running.fatal).toEqual([]);
});
