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
  // A program with a raised nice value gets hardly any CPU time on a busy machine.
  await api.patch('/api/settings', { terminals: { nice: 0 } });
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

/** CPU seconds that the processes of a terminal, and their children, have used so far. */
function cpuSecondsOf(pid: number): number {
  return processesBeside(pid).reduce((sum, info) => sum + info.cpuSeconds + info.endedCpuSeconds, 0);
}

/**
 * Resolves once the measured CPU use of a busy program agrees with the CPU time that the program really got: other
 * processes of the machine may leave it little time for a while.
 */
async function untilBusy({ id, pid }: Pick<Terminal, 'id' | 'pid'>): Promise<void> {
  let last = '';
  const isBusy = async () => {
    await metrics(id);
    const begin = { at: performance.now(), used: cpuSecondsOf(pid) };
    const { cpu } = await metrics(id);
    const seconds = (performance.now() - begin.at) / 1000;
    const percent = (100 * (cpuSecondsOf(pid) - begin.used)) / seconds;
    last = `${cpu} % beside ${percent.toFixed(1)} %`;
    return percent > 10 && Math.abs(cpu - percent) < 0.4 * percent;
  };
  await eventually('the CPU use is the one of /proc', isBusy).catch((cause: unknown) => {
    throw new Error(`the last measurement was ${last}`, { cause });
  });
}

async function untilIdle(id: string): Promise<void> {
  await eventually('it uses almost no CPU', async () => (await metrics(id)).cpu < 5);
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
    await untilIdle(id);
  });

  test('cpu: a busy loop uses what it gets', async () => {
    const terminal = await create({ command: ['sh', '-c', LOOP] });
    await untilBusy(terminal);
    await api.delete(`/api/terminals/${terminal.id}`);
  });

  test('cpu: a busy loop behind an idle shell counts, until it ends', async () => {
    const terminal = await create();
    const { id } = terminal;
    await untilIdle(id);
    await api.post(`/api/terminals/${id}/input`, { data: `sh -c '${LOOP}' &\r` });
    await untilBusy(terminal);
    await api.post(`/api/terminals/${id}/input`, { data: 'kill %1; wait; echo all en""ded\r' });
    await watcher.untilOutput(id, 'all ended');
    await untilIdle(id);
  });

  test('cpu: processes that live for less than an interval count', async () => {
    const rounds = 'for i in 0 1 2 3 4 5 6 7 8 9; do for j in 0 1 2 3 4 5 6 7 8 9; do :; done; done';
    const terminal = await create({ command: ['sh', '-c', `while :; do sh -c '${rounds}'; done`] });
    await untilBusy(terminal);
    await api.delete(`/api/terminals/${terminal.id}`);
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
