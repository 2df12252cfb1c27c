import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FLEET_PART_BYTES } from '#dist/contract/limits.js';
import { openRoutes } from '#dist/fleet/routes.js';
import { type FleetMachine, grant, makeHub, pair, startMachine } from '../support/fleet.js';

let hub: FleetMachine;
let laptop: FleetMachine;
/** Path under which the hub's API reaches the laptop. */
let there: string;

beforeAll(async () => {
  [hub, laptop] = await Promise.all([startMachine(), startMachine()]);
  await makeHub(hub);
  await pair(hub, laptop);
  there = `/api/machines/${laptop.id}`;
});
afterAll(() => Promise.all([hub, laptop].map((each) => each?.service.stop())));

async function terminalAt({ api }: FleetMachine, body: object = {}): Promise<string> {
  return (await api.post<{ id: string }>('/api/terminals', { command: ['cat'], ...body })).body.id;
}

/** Sends a request to the laptop through the hub's service. */
async function send<Body>(method: string, path: string, body?: object, headers = {}) {
  const answer = await hub.api.raw({
    ...{ method, path: `${there}${path}` },
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: JSON.parse(answer.body) as Body };
}

/** Revokes every grant of the laptop. */
async function revokeAll(): Promise<void> {
  const { body } = await laptop.api.get<{ grants: { id: string }[] }>('/api/fleet/grants');
  for (const { id } of body.grants) await laptop.api.delete(`/api/fleet/grants/${id}`);
}

describe('without a grant', () => {
  /** Returns the method and path of a route, with `x` for each id. */
  const pathOf = (route: string) =>
    route
      .replace(/\(\?<\w+>[^)]*\)/g, 'x')
      .replace(/[\^$\\]/g, '')
      .split(' ') as [string, string];

  // A machine may always ask for its own rights.
  const needing = openRoutes().filter((route) => !route.includes('rights'));
  test.each(needing)('%s is refused', async (route) => {
    const [method, path] = pathOf(route);
    const body = method === 'POST' ? { terminalId: 'x', terminal_id: 'x', data: 'x' } : undefined;
    const answer = await send<{ code: string; needs: string }>(method, path.replace('/api/', '/'), body);
    expect([answer.status, answer.body.code]).toEqual([403, 'not-granted']);
    expect(answer.body.needs).toMatch(/^(observe|type|execute|create|close|record)$/);
  });
});

describe('with all rights', () => {
  beforeAll(async () => {
    const can = ['observe', 'type', 'execute', 'create', 'close', 'record'];
    await grant(laptop, hub, { can });
  });
  afterAll(revokeAll);

  test('terminals are created, typed into, read and closed as by a client there', async () => {
    const created = await hub.api.post<{ id: string; mode: string }>(`${there}/terminals`, {
      command: ['cat'],
    });
    expect(created).toMatchObject({ status: 200, body: { mode: 'fleet' } });
    const { id } = created.body;
    expect((await hub.api.post(`${there}/terminals/${id}/input`, { data: 'across\r' })).status).toBe(200);
    const waited = await hub.api.post(`${there}/terminals/${id}/wait`, { until: 'text', text: 'across' });
    expect(waited.status).toBe(200);
    const { body } = await laptop.api.get<{ lastInputSource: string }>(`/api/terminals/${id}`);
    expect(body).toMatchObject({ mode: 'fleet' });
    const snapshot = await hub.api.get<object>(`${there}/terminals/${id}/snapshot`);
    expect(JSON.stringify(snapshot.body)).toContain('across');
    expect((await hub.api.delete(`${there}/terminals/${id}`)).status).toBe(200);
    expect((await laptop.api.get(`/api/terminals/${id}`)).status).not.toBe(200);
  });

  test('a command runs there, and a repeated key runs nothing again', async () => {
    const run = () =>
      send<{ exitCode: number; screen: string; runId: string }>(
        'POST',
        '/fleet/execute',
        { command: 'echo on $((6*7))' },
        { 'idempotency-key': 'once' },
      );
    const first = await run();
    expect(first).toMatchObject({ status: 200, body: { exitCode: 0 } });
    expect(first.body.screen).toContain('on 42');
    expect((await run()).body.runId).toBe(first.body.runId);
    expect((await hub.api.get(`${there}/runs/${first.body.runId}`)).status).toBe(200);
  });

  test('a command, a screen and a close reach the machine that they name', async () => {
    const machineId = laptop.id;
    const ran = await hub.api.post('/api/fleet/execute', { command: 'echo $((6*7))', machineId });
    expect(ran).toMatchObject({ status: 200, body: { machineId, exitCode: 0, done: true } });
    const target = { machineId, terminalId: await terminalAt(laptop) };
    const screen = await hub.api.post('/api/fleet/screen', target);
    expect(screen).toMatchObject({ status: 200, body: { ...target, running: true } });
    expect(await hub.api.post('/api/fleet/close', target)).toMatchObject({ status: 200, body: target });
    expect((await laptop.api.get(`/api/terminals/${target.terminalId}`)).status).not.toBe(200);
    const ambiguous = await hub.api.post<{ candidates: object[] }>('/api/fleet/execute', {
      ...{ command: 'true', targetOS: 'linux' },
    });
    expect([ambiguous.status, ambiguous.body.candidates]).toEqual([
      409,
      expect.objectContaining({ length: 2 }),
    ]);
    expect(await hub.api.post('/api/fleet/screen', { ...target, machineId: 'm_000000000000' })).toMatchObject(
      {
        status: 501,
      },
    );
  });

  test('the audit log there says which machine it was', async () => {
    await laptop.api.patch('/api/settings', { audit: { enabled: true } });
    const id = await terminalAt(laptop);
    await hub.api.post(`${there}/terminals/${id}/input`, { data: 'x' });
    await hub.api.delete(`${there}/terminals/${id}`);
    const { body } = await laptop.api.get<string>(`/api/audit?terminal=${id}`);
    const lines = body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    const by = { kind: 'fleet', machineId: hub.id, verified: false };
    expect(lines).toContainEqual(expect.objectContaining({ action: 'type', by }));
    expect(lines).toContainEqual(
      expect.objectContaining({ action: 'DELETE /api/terminals/:id', via: 'fleet', by, status: 200 }),
    );
    await laptop.api.patch('/api/settings', { audit: null });
  });

  test('failures are those of the machine there', async () => {
    expect(await hub.api.get(`${there}/terminals/term_000000000000`)).toMatchObject({
      status: 404,
      body: { code: 'terminal-not-found' },
    });
    expect(await hub.api.post(`${there}/terminals`, { cols: -1 })).toMatchObject({ status: 400 });
    const long = { 'idempotency-key': 'k'.repeat(1_001) };
    expect(await send('POST', '/terminals', {}, long)).toMatchObject({ status: 400 });
  });

  test('large answers come whole', async () => {
    const id = await terminalAt(laptop, { command: ['sh', '-c', 'seq -f %0400g 1 900; cat'], cols: 500 });
    await hub.api.post(`${there}/terminals/${id}/wait`, { until: 'text', text: '00900' });
    const path = `/terminals/${id}/output?lines=1000`;
    const here = await laptop.api.get<object>(`/api${path}`);
    const answer = await hub.api.get<object>(`${there}${path}`);
    expect(JSON.stringify(here.body).length).toBeGreaterThan(2 * FLEET_PART_BYTES);
    expect(answer).toMatchObject({ status: here.status, body: here.body });
    await laptop.api.delete(`/api/terminals/${id}`);
  });

  test.each([
    ['GET', '/settings'],
    ['PATCH', '/settings'],
    ['POST', '/settings/token/rotate'],
    ['GET', '/fleet/status'],
    ['POST', '/fleet/grants'],
    ['POST', '/fleet/leave'],
    ['POST', '/profiles'],
    ['GET', '/machines/self/terminals'],
    ['GET', '/audit'],
    ['PATCH', '/terminals/x'],
    ['GET', '/terminals/../settings'],
    ['GET', '/terminals/%2e%2e/settings'],
    ['GET', '/terminals/'],
  ])('%s %s is refused all the same', async (method, path) => {
    const { status, body } = await hub.api.raw({
      method,
      path: `${there}${path}`,
      headers: { host: 'localhost', 'content-type': 'application/json' },
      ...(method !== 'GET' && { body: '{}' }),
    });
    expect([status, JSON.parse(body)]).toEqual([403, expect.objectContaining({ code: 'not-granted' })]);
  });

  test('no machine passes requests on', async () => {
    const body = { command: 'true', machineId: hub.id };
    expect(await hub.api.post(`${there}/fleet/execute`, body)).toMatchObject({ status: 403 });
  });

  test('self is this machine', async () => {
    expect(await hub.api.get('/api/machines/self/system/info')).toEqual(
      expect.objectContaining({ status: 200 }),
    );
  });

  test('another machine that nobody knows is not found', async () => {
    expect(await hub.api.get('/api/machines/m_000000000000/terminals')).toMatchObject({
      status: 404,
      body: { code: 'machine-not-found' },
    });
  });
});

describe('a narrow grant', () => {
  afterAll(revokeAll);

  test('holds for its ids and its selector alone', async () => {
    const [one, two, three] = [
      await terminalAt(laptop),
      await terminalAt(laptop, { labels: { role: 'test' } }),
      await terminalAt(laptop),
    ];
    await grant(laptop, hub, { can: ['observe'], terminals: [one] });
    await grant(laptop, hub, { can: ['observe', 'type'], terminals: 'role=test' });
    const { body } = await hub.api.get<{ terminals: { id: string }[] }>(`${there}/terminals`);
    expect(body.terminals.map(({ id }) => id).sort()).toEqual([one, two].sort());
    const statuses = async (path: string, data?: object) =>
      Promise.all(
        [one, two, three].map(async (id) =>
          data
            ? (await hub.api.post(`${there}/terminals/${id}/${path}`, data)).status
            : (await hub.api.get(`${there}/terminals/${id}/${path}`)).status,
        ),
      );
    expect(await statuses('output')).toEqual([200, 200, 403]);
    expect(await statuses('input', { data: 'x' })).toEqual([403, 200, 403]);
    expect((await hub.api.post(`${there}/terminals`, {})).status).toBe(403);
  });

  test('ends at its time and when it is revoked', async () => {
    await revokeAll();
    const id = await terminalAt(laptop);
    const path = `${there}/terminals/${id}/output`;
    await grant(laptop, hub, { can: ['observe'], until: new Date(Date.now() - 1_000).toISOString() });
    expect((await hub.api.get(path)).status).toBe(403);
    const kept = await grant(laptop, hub, { can: ['observe'] });
    expect((await hub.api.get(path)).status).toBe(200);
    const waiting = hub.api.post<{ code: string }>(`${there}/terminals/${id}/wait`, {
      until: 'exit',
      timeoutMs: 60_000,
    });
    await expect.poll(async () => (await laptop.api.get<string>('/metrics')).body).toMatch(/_waits 1/);
    const began = performance.now();
    await laptop.api.delete(`/api/fleet/grants/${kept}`);
    expect(await waiting).toMatchObject({ status: 403, body: { code: 'not-granted' } });
    expect(performance.now() - began).toBeLessThan(1_000);
    await expect.poll(async () => (await laptop.api.get<string>('/metrics')).body).toMatch(/_waits 0/);
    await grant(laptop, hub, { can: ['observe'], until: new Date(Date.now() + 2_000).toISOString() });
    const expiring = hub.api.post(`${there}/terminals/${id}/wait`, { until: 'exit', timeoutMs: 600_000 });
    expect(await expiring).toMatchObject({ status: 403, body: { code: 'not-granted' } });
  });
});
