import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppInProcess, startAppInProcess } from '../support/app.js';
import { EventStream } from '../support/event-client.js';
import { createApi } from '../support/http.js';
import { Limited } from '../support/limits.js';
import { eventually } from '../support/processes.js';

const MAX = 50;
const CREATES = 200;
const GIVE_UP = 30;

let folder: string;
let running: AppInProcess;
let limited: Limited;
/** Highest number of terminals that were listed as running at once. */
let most = 0;

/** Writes what the kernel reports: memory pressure in percent over the last 10 s, and available memory in MiB. */
async function setMemory({ pressure = 0, mebibytes = 4_000 }): Promise<void> {
  const times = `avg10=${pressure.toFixed(2)} avg60=0.00 avg300=0.00 total=1`;
  await writeFile(join(folder, 'pressure/memory'), `some ${times}\nfull ${times}\n`);
  await writeFile(join(folder, 'meminfo'), `MemTotal: 9999 kB\nMemAvailable:   ${mebibytes * 1_024} kB\n`);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-memory-'));
  await mkdir(join(folder, 'pressure'));
  await setMemory({});
  running = await startAppInProcess({ limits: { maxTerminals: MAX } }, { memoryFolder: folder });
  const { terminals } = running.app;
  terminals.subscribe(() => {
    most = Math.max(most, terminals.list('running').length);
  });
  limited = new Limited(createApi(running.app.url));
});
afterAll(async () => {
  await running.stop();
  await rm(folder, { recursive: true });
});

test('200 creations under a limit of 50: order is kept, none is over, none is stuck, and memory is waited for', async () => {
  const events = await EventStream.open(running.app.url, { query: 'types=admission.*' });
  const clients = Array.from({ length: CREATES }, () => new AbortController());
  const answers = clients.map(async ({ signal }, index) => {
    const body = JSON.stringify({
      command: ['cat'],
      priority: index % 3,
      name: `n ${index}`,
      queueMs: 100_000,
    });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${running.app.url}/api/terminals`, { method: 'POST', body, headers, signal });
    return [answer.status, await answer.json()] as const;
  });
  for (const answer of answers) answer.catch(() => undefined);
  const line = await limited.waiting(CREATES - MAX);
  expect(line.map(({ priority }) => priority)).toEqual(
    line
      .map(({ priority }) => priority)
      .sort()
      .reverse(),
  );

  // Some clients give up, throughout the line.
  const left = new Set(line.filter((_, index) => index % 5 === 2).map(({ name }) => name));
  expect(left.size).toBe(GIVE_UP);
  for (const name of left) clients[Number(name?.slice(2))]?.abort();
  const staying = (await limited.waiting(CREATES - MAX - GIVE_UP)).map(({ terminalId }) => terminalId);
  expect(staying).toEqual(line.filter(({ name }) => !left.has(name)).map(({ terminalId }) => terminalId));

  // Memory is short: places that become free stay empty.
  await setMemory({ pressure: 40 });
  await limited.set({ maxTerminals: MAX, maxMemoryPressure: 10 });
  await eventually('50 run', async () => (await limited.running()).length === MAX);
  for (const { id } of (await limited.running()).slice(0, 10))
    await limited.api.delete(`/api/terminals/${id}`);
  const short = await limited.now();
  expect(short.terminals).toEqual({ running: MAX - 10, starting: 0, max: MAX });
  expect(short.queue.length).toBe(staying.length);
  expect(short.queue.waiting[0]?.obstacle).toEqual({ limit: 'maxMemoryPressure', value: 40, max: 10 });
  expect((await limited.create()).body).toMatchObject({ limit: 'maxMemoryPressure', value: 40, max: 10 });

  // Memory is available again: the waiting terminals start one by one.
  await setMemory({ pressure: 2 });
  await events.until(() => events.of('admission.admitted').length >= 3);
  await limited.set({ maxTerminals: MAX });

  // Each terminal that ends makes room for the next.
  while ((await limited.now()).queue.length > 0) await limited.closeAll();
  const results = await Promise.allSettled(answers);
  const fulfilled = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  expect(fulfilled.map(([status]) => status)).toEqual(Array(CREATES - GIVE_UP).fill(200));
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(GIVE_UP);
  await events.until(() => events.of('admission.admitted').length === staying.length);
  expect(events.of('admission.admitted').map(({ data }) => data.terminalId)).toEqual(staying);
  expect(most).toBe(MAX);
  expect(running.fatal).toEqual([]);
  await events.cut();
});

test('available memory is a limit, too, and what the system does not report refuses nobody', async () => {
  await setMemory({ mebibytes: 700 });
  await limited.set({ minAvailableMemory: 800 * 2 ** 20 });
  expect((await limited.create()).body).toMatchObject({
    error: expect.stringContaining('700 MiB of memory are available, and 800 MiB must be'),
    ...{ limit: 'minAvailableMemory', value: 700 * 2 ** 20, min: 800 * 2 ** 20 },
  });
  await rm(join(folder, 'meminfo'));
  expect(await limited.now()).toMatchObject({
    memory: { availableBytes: null, minAvailable: 800 * 2 ** 20 },
    unknown: ['minAvailableMemory'],
  });
  expect((await limited.create()).status).toBe(200);
});
