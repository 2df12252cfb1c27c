import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditEntry } from '#dist/contract/audit.js';
import { type FleetMachine, grant, makeHub, pair, startMachine } from '../support/fleet.js';

let hub: FleetMachine;
let laptop: FleetMachine;

beforeAll(async () => {
  [hub, laptop] = await Promise.all([startMachine(), startMachine()]);
  await makeHub(hub);
  await pair(hub, laptop);
  await laptop.api.patch('/api/settings', { audit: { enabled: true } });
});
afterAll(() => Promise.all([hub, laptop].map((each) => each?.service.stop())));

async function lines(query = ''): Promise<AuditEntry[]> {
  const { body = '' } = await laptop.api.get<string | undefined>(`/api/fleet/audit${query}`);
  return body.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as AuditEntry]));
}

test('what other machines have done and were refused is told, and nothing else', async () => {
  const { id } = (await laptop.api.post<{ id: string }>('/api/terminals', { command: ['cat'] })).body;
  const path = `/api/machines/${laptop.id}/terminals/${id}`;
  expect((await hub.api.post(`${path}/input`, { data: 'x' })).status).toBe(403);
  expect((await hub.api.get(`/api/machines/${laptop.id}/settings`)).status).toBe(403);
  await grant(laptop, hub, { can: ['type', 'close'] });
  await hub.api.post(`${path}/input`, { data: 'x' });
  await laptop.api.post(`/api/terminals/${id}/input`, { data: 'own' });
  await hub.api.delete(path);
  const told = await lines();
  expect(told).toMatchObject([
    { action: `POST /api/terminals/${id}/input`, status: 403, code: 'not-granted', via: 'fleet' },
    { action: 'GET /api/settings', status: 403, code: 'not-granted', via: 'fleet' },
    { action: 'type', terminalId: id },
    { action: 'typed', terminalId: id, bytes: 1 },
    { action: 'DELETE /api/terminals/:id', terminalId: id, status: 200, via: 'fleet' },
  ]);
  for (const { by, action } of told)
    if (action !== 'typed') expect(by).toMatchObject({ kind: 'fleet', machineId: hub.id });
  expect(await lines(`?machine=${hub.id}&action=type&terminal=${id}`)).toHaveLength(2);
  expect(await lines('?machine=m_000000000000')).toEqual([]);
  expect(await laptop.api.get('/api/audit/verify')).toMatchObject({ body: { isWhole: true } });
  const metrics = (await laptop.api.get<string>('/metrics')).body;
  expect(metrics).toContain('auto_terminal_fleet_machines{state="online"} 1');
  expect(metrics).toContain('auto_terminal_fleet_calls_refused_total 2');
  expect(metrics).toContain('auto_terminal_fleet_calls_served_total 2');
  expect((await hub.api.get<string>('/metrics')).body).toMatch(/fleet_calls_routed_total [4-9]/);
});
