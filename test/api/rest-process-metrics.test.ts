import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProcessMetrics } from '#dist/contract/system.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Watcher, watch } from '../support/http.js';
import { eventually, processesBeside, residentBytes } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

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

const NOT_FOUND = [404, failed('Process not found')];
const LOOP = 'while :; do :; done';

const create = async (body?: unknown) => (await api.post<Terminal>('/api/terminals', body)).body;
const metrics = async (id: string) => (await api.get<ProcessMetrics>(`/api/processes/${id}/metrics`)).body;
const failure = async (id: string) => {
  const { status, body } = await api.get(`/api/processes/${id}/metrics`);
  return [status, body];
};

/** Resolves once a measurement passes: other processes of the machine may take the CPU for a while. */
async function cpuBecomes(id: string, holds: (cpu: number) => boolean): Promise<void> {
  let cpu = Number.NaN;
  await eventually('the CPU use is as expected', async () => {
    ({ cpu } = await metrics(id));
    return holds(cpu);
  }).catch((cause: unknown) => {
    throw new Error(`the last figure was ${cpu}`, { cause });
  });
}

describe('GET /api/processes/:id/metrics', () => {
  test('has the id, the figures and the time', async () => {
    const { id } = await create();
    const before = Date.now();
    const body = await metrics(id);
    expect(body).toEqual({
      id,
      cpu: expect.any(Number),
      memory: expect.any(Number),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(Date.parse(body.timestamp)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(body.timestamp)).toBeLessThanOrEqual(Date.now());
  });

  test('cpu: an idle shell uses almost none', async () => {
    const { id } = await create();
    await cpuBecomes(id, (cpu) => cpu < 20);
  });

  test('cpu: a busy loop uses a core', async () => {
    const { id } = await create({ command: ['sh', '-c', LOOP] });
    await cpuBecomes(id, (cpu) => cpu > 50);
    await api.delete(`/api/terminals/${id}`);
  });

  test('cpu: a busy loop behind an idle shell counts, until it ends', async () => {
    const { id } = await create();
    await cpuBecomes(id, (cpu) => cpu < 20);
    await api.post(`/api/terminals/${id}/input`, { data: `sh -c '${LOOP}' &\r` });
    await cpuBecomes(id, (cpu) => cpu > 50);
    await api.post(`/api/terminals/${id}/input`, { data: 'kill %1; wait; echo all en""ded\r' });
    await watcher.untilOutput(id, 'all ended');
    await cpuBecomes(id, (cpu) => cpu < 20);
  });

  test('cpu: processes that live for less than an interval count', async () => {
    const rounds = 'for i in 0 1 2 3 4 5 6 7 8 9; do for j in 0 1 2 3 4 5 6 7 8 9; do :; done; done';
    const { id } = await create({ command: ['sh', '-c', `while :; do sh -c '${rounds}'; done`] });
    await cpuBecomes(id, (cpu) => cpu > 50);
    await api.delete(`/api/terminals/${id}`);
  });

  test('memory: the resident bytes of all processes of the terminal', async () => {
    const code =
      'const big = Buffer.alloc(100e6, 1); console.log("fil" + "led"); setInterval(() => big, 1e6)';
    const { id, pid } = await create();
    await api.post(`/api/terminals/${id}/input`, { data: `${process.execPath} -e '${code}'\r` });
    await watcher.untilOutput(id, 'filled\r\n');
    const { memory } = await metrics(id);
    const all = processesBeside(pid).reduce((sum, info) => sum + residentBytes(info.pid), 0);
    expect(memory).toBeGreaterThan(100e6);
    expect(memory / all).toBeGreaterThan(0.8);
    expect(memory / all).toBeLessThan(1.25);
  });

  test('many at once answer each for its own', async () => {
    const terminals = await Promise.all(Array.from({ length: 5 }, () => create()));
    const bodies = await Promise.all(terminals.flatMap(({ id }) => [metrics(id), metrics(id)]));
    expect(bodies.map(({ id }) => id)).toEqual(terminals.flatMap(({ id }) => [id, id]));
    for (const { memory } of bodies) expect(memory).toBeGreaterThan(100_000);
  });

  test('an unknown id is a 404', async () => {
    for (const id of ['nope', 'term_000000000000', '%00', '1', 'self'])
      expect(await failure(id)).toEqual(NOT_FOUND);
  });

  test('a closed or exited terminal is a 404', async () => {
    const { id } = await create();
    await metrics(id);
    await api.delete(`/api/terminals/${id}`);
    expect(await failure(id)).toEqual(NOT_FOUND);
    const { id: exited } = await create({ command: ['true'] });
    await watcher.until(() =>
      watcher.frames.some(({ event }) => event?.type === 'terminal.exited' && event.terminalId === exited),
    );
    expect(await failure(exited)).toEqual(NOT_FOUND);
  });
});
