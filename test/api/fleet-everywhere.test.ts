import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BatchRunAnswer } from '#dist/contract/run.js';
import type { WaitManyAnswer } from '#dist/contract/wait-many.js';
import { type FleetMachine, grant, makeHub, online, pair, startMachine } from '../support/fleet.js';

let hub: FleetMachine;
let laptop: FleetMachine;
let desk: FleetMachine;
let [own, far] = ['', ''];

beforeAll(async () => {
  [hub, laptop, desk] = await Promise.all([startMachine(), startMachine(), startMachine()]);
  await makeHub(hub);
  await pair(hub, laptop);
  await pair(hub, desk);
  // A grant for the selected terminals alone is enough.
  await grant(laptop, hub, { can: ['observe', 'execute'], terminals: 'role=test' });
  [own, far] = await Promise.all([open(hub, 'test'), open(laptop, 'test'), open(laptop, 'other')]);
});
afterAll(() => Promise.all([hub, laptop, desk].map((each) => each?.service.stop())));

async function open({ api }: FleetMachine, role: string): Promise<string> {
  return (await api.post<{ id: string }>('/api/terminals', { labels: { role } })).body.id;
}

async function revokeAll({ api }: FleetMachine): Promise<void> {
  const { body } = await api.get<{ grants: { id: string }[] }>('/api/fleet/grants');
  for (const { id } of body.grants) await api.delete(`/api/fleet/grants/${id}`);
}

const all = { selector: 'role=test', machines: 'all' };

test('a command runs in the selected terminals of all machines, once for its key', async () => {
  const run = async () => {
    const { status, body } = await hub.api.raw({
      ...{ method: 'POST', path: '/api/terminals/batch/run' },
      body: JSON.stringify({ ...all, command: 'echo "ran $((6*7))"' }),
      headers: { 'content-type': 'application/json', 'idempotency-key': 'everywhere' },
    });
    expect(status).toBe(200);
    return JSON.parse(body) as BatchRunAnswer;
  };
  const first = await run();
  expect(first.results).toMatchObject([
    { terminalId: own, exitCode: 0, raw: 'ran 42\n' },
    { terminalId: far, machineId: laptop.id, exitCode: 0, raw: 'ran 42\n' },
  ]);
  expect(first.results[0]).not.toHaveProperty('machineId');
  expect(first.summary).toEqual({ total: 2, succeeded: 2, failed: 0, done: 2, zero: 2, nonZero: 0 });
  expect(first.machines).toMatchObject([
    { machineId: laptop.id, runId: expect.stringMatching(/^run_/) },
    { machineId: desk.id, code: 'not-granted' },
  ]);
  const again = await run();
  expect(again.machines).toEqual(first.machines);
  expect(again.runId).toBe(first.runId);
  const { runId } = first.machines![0]!;
  // What was opened and granted since is not part of it.
  await grant(desk, hub, { can: ['observe', 'execute'] });
  const later = await Promise.all([open(laptop, 'test'), open(desk, 'test')]);
  const third = await run();
  expect([third.runId, third.machines]).toEqual([first.runId, first.machines]);
  expect(third.results.map(({ terminalId }) => terminalId)).toEqual([own, far]);
  await Promise.all([laptop, desk].map(({ api }, at) => api.delete(`/api/terminals/${later[at]}`)));
  await revokeAll(desk);
  expect((await hub.api.get(`/api/machines/${laptop.id}/runs/${runId}`)).status).toBe(200);
});

test('a wait is over once enough has happened on any of the machines', async () => {
  const wait = (body: object) =>
    hub.api.post<WaitManyAnswer>('/api/terminals/wait', {
      ...all,
      until: ['failed'],
      timeoutMs: 30_000,
      ...body,
    });
  const exited = { until: ['exited'] };
  const now = await wait({ ...exited, timeoutMs: 0 });
  expect(now.body).toMatchObject({ done: false, pending: [own, far], summary: { total: 2, pending: 2 } });
  const first = wait(exited);
  await laptop.api.post(`/api/terminals/${far}/input`, { data: 'exit 3\r' });
  const there = { terminalId: far, machineId: laptop.id, event: 'exited', exitCode: 3 };
  expect((await first).body).toMatchObject({ done: true, results: [there], pending: [own] });
  const both = wait({ ...exited, mode: 'all' });
  await hub.api.post(`/api/terminals/${own}/input`, { data: 'exit\r' });
  const here = { terminalId: own, event: 'exited', exitCode: 0 };
  expect((await both).body).toMatchObject({ done: true, results: [here, there], pending: [] });
});

test('a machine that refuses what was selected there is not taken for one without such terminals', async () => {
  const there = await open(desk, 'refused');
  await grant(desk, hub, { can: ['observe'] });
  const { body } = await hub.api.post<BatchRunAnswer>('/api/terminals/batch/run', {
    ...{ selector: 'role=refused', machines: 'all', command: 'true' },
  });
  expect(body).toMatchObject({ results: [], summary: { total: 0 } });
  const refused = { machineId: desk.id, code: 'not-granted', terminalIds: [there] };
  expect(body.machines).toEqual([
    expect.objectContaining({ machineId: laptop.id }),
    expect.objectContaining(refused),
  ]);
  expect(body.machines![0]).not.toHaveProperty('code');

  const waiting = hub.api.post<WaitManyAnswer>('/api/terminals/wait', {
    ...{ selector: 'role=refused', machines: 'all', until: ['exited'], mode: 'all', timeoutMs: 4_000 },
  });
  await expect.poll(async () => (await desk.api.get<string>('/metrics')).body).toMatch(/_waits 1/);
  const mine = await open(hub, 'refused');
  await revokeAll(desk);
  await hub.api.delete(`/api/terminals/${mine}`);
  const waited = (await waiting).body;
  expect(waited.done).toBe(false);
  expect(waited.machines).toContainEqual(expect.objectContaining(refused));
});

test('a terminal that is closed during a wait counts as gone, also with a grant by its labels', async () => {
  await grant(laptop, hub, { can: ['observe'], terminals: 'role=gone' });
  const [closed, ended] = [await open(laptop, 'gone'), await open(laptop, 'gone')];
  const waiting = hub.api.post<WaitManyAnswer>('/api/terminals/wait', {
    ...{ selector: 'role=gone', machines: 'all', until: ['exited'], timeoutMs: 60_000 },
  });
  await expect.poll(async () => (await laptop.api.get<string>('/metrics')).body).toMatch(/_waits 2/);
  await laptop.api.delete(`/api/terminals/${closed}`);
  await laptop.api.post(`/api/terminals/${ended}/input`, { data: 'exit\r' });
  const { body } = await waiting;
  expect(body).toMatchObject({ done: true, summary: { total: 2, met: 1, gone: 1, pending: 0 } });
  const now = await hub.api.post<WaitManyAnswer>('/api/terminals/wait', {
    ...{ selector: 'role=gone', machines: 'all', until: ['exited'], mode: 'all', timeoutMs: 60_000 },
  });
  expect(now.body).toMatchObject({ done: true, summary: { total: 1, met: 1 } });
});

test('input that waits is not typed once the terminal has lost the label that allowed it', async () => {
  const id = await open(laptop, 'typed');
  await grant(laptop, hub, { can: ['type'], terminals: 'role=typed' });
  await laptop.api.post(`/api/terminals/${id}/lease`, { ttlMs: 600_000 });
  const waiting = hub.api.post(`/api/machines/${laptop.id}/terminals/${id}/input`, {
    ...{ data: 'echo from elsewhere\r', whenBusy: 'queue', queueMs: 600_000 },
  });
  const waits = async () =>
    (await laptop.api.get<{ queued: number }>(`/api/terminals/${id}/lease`)).body.queued;
  await expect.poll(waits).toBe(1);
  await laptop.api.patch(`/api/terminals/${id}`, { labels: { role: null } });
  expect(await waiting).toMatchObject({ status: 403, body: { code: 'not-granted' } });
  await expect.poll(waits).toBe(0);
});

test('a request with a run id of any length ends no service', async () => {
  await revokeAll(laptop);
  const path = `/api/machines/${laptop.id}/runs/run_${'a'.repeat(5_000)}`;
  expect(await hub.api.get(path)).toMatchObject({ status: 403, body: { code: 'not-granted' } });
  expect((await laptop.api.get(path.slice(path.indexOf('/runs/')).replace('', '/api'))).status).toBe(404);
});

test('only a selector is for all machines, and no machine passes a request on', async () => {
  const body = { terminalIds: ['x'], machines: 'all', command: 'true' };
  expect(await hub.api.post('/api/terminals/batch/run', body)).toMatchObject({ status: 400 });
  const any = { ...all, command: 'true', waitFor: 'any' };
  expect(await hub.api.post('/api/terminals/batch/run', any)).toMatchObject({ status: 400 });
  await grant(hub, desk, { can: ['observe', 'execute'] });
  await online(desk, hub.id);
  const onward = await desk.api.post(`/api/machines/${hub.id}/terminals/batch/run`, {
    ...{ ...all, command: 'true' },
  });
  expect(onward).toMatchObject({ status: 403, body: { code: 'not-granted' } });
});
