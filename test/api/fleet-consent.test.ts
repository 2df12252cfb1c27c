import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AutoTerminal } from '#dist/client/index.js';
import type { UseRequest } from '#dist/contract/fleet-consent.js';
import { type FleetMachine, grant, makeHub, pair, startMachine } from '../support/fleet.js';
import { eventually } from '../support/processes.js';

let hub: FleetMachine;
let laptop: FleetMachine;
let terminalId: string;

beforeAll(async () => {
  [hub, laptop] = await Promise.all([startMachine(), startMachine()]);
  await makeHub(hub);
  await pair(hub, laptop);
  terminalId = (await laptop.api.post<{ id: string }>('/api/terminals', {})).body.id;
});
afterAll(() => Promise.all([hub, laptop].map((each) => each?.service.stop())));

const run = (command: string) =>
  hub.api.post<{ code: string }>('/api/fleet/execute', { machineId: laptop.id, terminalId, command });

async function uses(): Promise<UseRequest[]> {
  return (await laptop.api.get<{ uses: UseRequest[] }>('/api/fleet/requests')).body.uses;
}

/** Resolves with the only request that waits at the laptop. */
const asked = () => eventually('a request', async () => (await uses())[0]);

async function withGrant(body: object, work: () => Promise<void>): Promise<void> {
  const id = await grant(laptop, hub, body);
  await work();
  await laptop.api.delete(`/api/fleet/grants/${id}`);
}

test('`always`: each request waits for a person, who sees what it is and approves or denies it', async () => {
  await withGrant({ can: ['execute'], ask: 'always' }, async () => {
    const first = run('echo asked');
    const request = await asked();
    expect(request).toMatchObject({
      ...{
        machineId: hub.id,
        action: 'POST /api/fleet/execute',
        terminalIds: [terminalId],
        text: expect.stringContaining('"command":"echo asked"'),
      },
    });
    expect(request.expiresAt - request.askedAt).toBe(60_000);
    expect(await laptop.api.post(`/api/fleet/requests/${request.id}/approve`)).toMatchObject({
      ...{ status: 200, body: { machineId: hub.id } },
    });
    expect(await first).toMatchObject({ status: 200, body: { exitCode: 0 } });
    const second = run('echo denied');
    await laptop.api.post(`/api/fleet/requests/${(await asked()).id}/deny`);
    expect(await second).toMatchObject({ status: 403, body: { code: 'not-granted' } });
    expect(await uses()).toEqual([]);
    const output = await laptop.api.get<{ raw: string }>(`/api/terminals/${terminalId}/output`);
    expect(output.body.raw).not.toContain('denied');
  });
});

test('a request that waits no longer is told as such, also where no machine can join', async () => {
  for (const answer of ['approve', 'deny'])
    expect(await laptop.api.post(`/api/fleet/requests/use_000000000000/${answer}`)).toMatchObject({
      ...{ status: 404, body: { code: 'request-not-found', error: expect.stringContaining('has ended') } },
    });
});

test('a terminal is found without asking anybody; then a person is asked about the command', async () => {
  await withGrant({ can: ['execute'], ask: 'always' }, async () => {
    const ran = hub.api.post('/api/fleet/execute', { terminalId, command: 'true' });
    const request = await asked();
    expect(request).toMatchObject({ action: 'POST /api/fleet/execute', terminalIds: [terminalId] });
    await laptop.api.post(`/api/fleet/requests/${request.id}/approve`);
    expect(await ran).toMatchObject({ status: 200, body: { machineId: laptop.id, exitCode: 0 } });
  });
});

test('`first`: approved once it holds, also over a restart; a grant that does not ask comes first', async () => {
  await withGrant({ can: ['execute'], ask: 'first' }, async () => {
    const first = run('true');
    await laptop.api.post(`/api/fleet/requests/${(await asked()).id}/approve`);
    expect((await first).status).toBe(200);
    expect((await run('true')).status).toBe(200);
    const { home } = laptop.service;
    await laptop.service.kill('SIGKILL');
    laptop = { ...(await startMachine(home)), id: laptop.id };
    await eventually('online', async () => (await run('true')).status === 200);
  });
  await withGrant({ can: ['execute'], ask: 'always' }, () =>
    withGrant({ can: ['execute'] }, async () => {
      expect((await run('true')).status).toBe(200);
    }),
  );
});

test('a request ends with its grant, and with its client; events say what came of each', async () => {
  const client = AutoTerminal.connect({ url: laptop.service.url, env: {} });
  const ended = new AbortController();
  const decisions: unknown[] = [];
  const ready = withResolvers();
  const following = (async () => {
    const options = { types: ['fleet.*'], signal: ended.signal, onReady: () => ready.resolve(undefined) };
    for await (const event of client.events(options))
      if (event.type === 'fleet.answered') decisions.push('data' in event && event.data.decision);
  })().catch((error: unknown) => {
    if (!ended.signal.aborted) throw error;
  });
  await ready.promise;
  const id = await grant(laptop, hub, { can: ['execute'], ask: 'always' });
  const revoked = run('true');
  await asked();
  await laptop.api.delete(`/api/fleet/grants/${id}`);
  expect(await revoked).toMatchObject({ status: 403, body: { code: 'not-granted' } });
  await withGrant({ can: ['observe'], ask: 'always' }, async () => {
    const gone = new AbortController();
    const path = `${hub.service.url}/api/machines/${laptop.id}/terminals`;
    const left = fetch(path, { signal: gone.signal }).catch(() => undefined);
    await asked();
    gone.abort();
    await left;
    await eventually('no request', async () => (await uses()).length === 0);
  });
  await eventually('both decisions', async () => decisions.length === 2);
  expect(decisions).toEqual(['gone', 'gone']);
  ended.abort();
  await following;
  client.close();
});

function withResolvers() {
  let resolve!: (value: unknown) => void;
  const promise = new Promise((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

test.each([
  ['fleet/execute', () => ({ terminalId, command: 'echo QUEUED_$((40 + 2))' })],
  ['terminals/batch/run', () => ({ terminalIds: [terminalId], command: 'echo QUEUED_$((40 + 2))' })],
])('a run by %s that waits for the shell is not typed once its grant is revoked', async (path, body) => {
  const gate = join(laptop.service.home, 'gate');
  const here = (command: string, more = {}) =>
    laptop.api.post('/api/terminals/batch/run', { terminalIds: [terminalId], command, ...more });
  const running = async () => {
    const { runs } = (await laptop.api.get<{ runs: { state: string }[] }>('/api/runs')).body;
    return runs.filter(({ state }) => state === 'running').length;
  };
  const id = await grant(laptop, hub, { can: ['execute', 'observe'], terminals: [terminalId] });
  await here(`until [ -e ${gate} ]; do sleep 0.05; done`, { waitFor: 0 });
  const queued = hub.api.post(`/api/machines/${laptop.id}/${path}`, body());
  await eventually('the run waits in line', async () => (await running()) === 2);
  await laptop.api.delete(`/api/fleet/grants/${id}`);
  expect(await queued).toMatchObject({ status: 403, body: { code: 'not-granted' } });
  writeFileSync(gate, '');
  // This command gets its turn after the revoked run.
  expect(await here('echo after')).toMatchObject({ body: { results: [{ exitCode: 0 }] } });
  rmSync(gate);
  const output = await laptop.api.get<{ raw: string }>(`/api/terminals/${terminalId}/output`);
  expect(output.body.raw).not.toContain('QUEUED_42');
});
