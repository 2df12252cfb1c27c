import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type FleetMachine, grant, makeHub, online, pair, startMachine } from '../support/fleet.js';
import { serverOf, throughWire, type Wire } from '../support/fleet-cut.js';
import { countsIn, settledAt } from '../support/fleet-settled.js';
import { eventually } from '../support/processes.js';

/** Number of cuts of the wire; a manual run sets more. */
const CUTS = Number(process.env.AUTO_TERMINAL_FLEET_CUTS ?? 8);

let hub: FleetMachine;
let laptop: FleetMachine;
let wire: Wire;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-cut-'));
  [hub, laptop] = await Promise.all([startMachine(), startMachine()]);
  await makeHub(hub);
  await pair(hub, laptop);
  await grant(laptop, hub, { can: ['observe', 'type', 'execute'] });
  ({ machine: laptop, wire } = await throughWire(hub, laptop));
});
afterEach(() => wire.mend());
afterAll(async () => {
  await wire?.close();
  await Promise.all([hub, laptop].map((each) => each?.service.stop()));
  await rm(folder, { recursive: true, force: true });
});

interface Execution {
  runId: string;
  exitCode: number | null;
  done: boolean;
}

const settled = <Body extends object>(path: string, body: object, key?: string): Promise<Body> =>
  settledAt<Body>(hub, laptop.id, { path, body, key });

async function open(command?: string[]): Promise<string> {
  return (await laptop.api.post<{ id: string }>('/api/terminals', command ? { command } : {})).body.id;
}

test(
  `${CUTS} cuts under runs and typing: each is typed once, each result is fetched, local work goes on`,
  async () => {
    const [ran, typed, own] = ['ran', 'typed', 'own'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const [shell, cat, local] = [
      await open(),
      await open(['sh', '-c', `stty -echo; cat >> ${typed}`]),
      await open(),
    ];
    await laptop.api.post('/api/fleet/execute', { terminalId: local, command: 'true' });
    const slowest = { ms: 0 };
    const wanted: Record<string, number> = {};
    for (let n = 0; n < CUTS; n++) {
      wanted[`line ${n}`] = 1;
      const isKill = n % 5 === 4;
      const before = isKill ? await serverOf(hub) : 0;
      const runs = settled<Execution>(
        '/api/fleet/execute',
        {
          terminalId: shell,
          machineId: laptop.id,
          command: `sleep 0.05; echo line ${n} >> ${ran}; (exit ${n % 7})`,
        },
        // For every other run, the service chooses the key.
        n % 2 === 0 ? `run ${n}` : undefined,
      );
      const types = settled(`/api/machines/${laptop.id}/terminals/${cat}/input`, { data: `line ${n}\r` });
      await delay(Math.random() * 200);
      if (isKill) process.kill(before, 'SIGKILL');
      else wire.cut();
      const began = performance.now();
      const here = await laptop.api.post<Execution>('/api/fleet/execute', {
        ...{ terminalId: local, command: `echo line ${n} >> ${own}` },
      });
      slowest.ms = Math.max(slowest.ms, performance.now() - began);
      expect(here).toMatchObject({ status: 200, body: { done: true, exitCode: 0 } });
      await delay(Math.random() * 500);
      wire.mend();
      const [{ runId, exitCode }] = await Promise.all([runs, types]);
      expect(exitCode).toBe(n % 7);
      const result = await eventually('the result', async () => {
        const answer = await hub.api.get<{ results: object[] }>(`/api/machines/${laptop.id}/runs/${runId}`);
        return answer.status === 200 && answer.body.results;
      });
      expect(result).toMatchObject([{ done: true, exitCode: n % 7 }]);
    }
    expect(await countsIn(ran)).toEqual(wanted);
    expect(await countsIn(own)).toEqual(wanted);
    await eventually('the last line', async () => (await countsIn(typed))[`line ${CUTS - 1}`] !== undefined);
    expect(await countsIn(typed)).toEqual(wanted);
    expect(slowest.ms).toBeLessThan(5_000);
  },
  Math.max(120_000, CUTS * 10_000),
);

test('a request that is lost for longer learns after ten seconds that nobody knows, and what to repeat it by', async () => {
  const file = join(folder, 'late');
  const terminalId = await open();
  const command = `echo late >> ${file}; sleep 1`;
  const body = { terminalId, machineId: laptop.id, command };
  const asked = hub.api.post<{ code: string; key: string }>('/api/fleet/execute', body);
  await eventually('the command', async () => (await countsIn(file)).late === 1);
  wire.cut();
  const began = performance.now();
  const answer = await asked;
  expect(answer).toMatchObject({ status: 503, body: { code: 'fleet-outcome-unknown' } });
  expect(performance.now() - began).toBeGreaterThan(9_000);
  expect(performance.now() - began).toBeLessThan(14_000);
  const input = await hub.api.post(`/api/machines/${laptop.id}/terminals/${terminalId}/input`, { data: 'x' });
  expect(input).toMatchObject({ status: 503, body: { code: 'machine-unreachable' } });
  wire.mend();
  await online(hub, laptop.id);
  const repeated = await settled<Execution>('/api/fleet/execute', body, answer.body.key);
  expect(repeated).toMatchObject({ done: true, exitCode: 0 });
  expect(await countsIn(file)).toEqual({ late: 1 });
});
