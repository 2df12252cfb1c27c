import { expect, test } from 'vitest';
import type { Lease, LeaseState } from '#dist/contract/input-gate.js';
import { guard } from '../support/guarded.js';
import { eventually } from '../support/processes.js';
import { openTerminal } from '../support/runs.js';
import { useService } from '../support/use-service.js';

const used = useService();

/** Returns the value of a sample of metrics, named without the common prefix; 0 if it is not there. */
function valueIn(page: string, key: string): number {
  const line = page.split('\n').find((each) => each.startsWith(`auto_terminal_${key} `));
  return line === undefined ? 0 : Number(line.split(' ').at(-1));
}

test('/metrics counts what the gate refuses, who waits, and leases with how they end', async () => {
  const { api } = used;
  const value = async (key: string) => valueIn((await api.raw({ path: '/metrics' })).body, key);
  const id = await openTerminal(api, ['cat']);
  const path = `/api/terminals/${id}`;
  expect(await value('leases_held')).toBe(0);
  const { body: first } = await api.post<Lease>(`${path}/lease`, {});
  expect(await value('leases_held')).toBe(1);
  expect((await api.post(`${path}/input`, { data: 'no' })).status).toBe(423);
  expect((await api.post(`${path}/lease`, {})).status).toBe(423);
  expect((await api.post(`${path}/input`, { data: 'no', lease: 'lease_other' })).status).toBe(423);
  expect(
    (await api.post(`${path}/input`, { data: 'no', lease: first.leaseId, ifAgent: ['idle'] })).status,
  ).toBe(409);
  const waits = api.post(`${path}/input`, { data: 'later', whenBusy: 'queue', queueMs: 60_000 });
  await eventually('one waits', async () => (await api.get<LeaseState>(`${path}/lease`)).body.queued === 1);
  expect(await value('input_waiting')).toBe(1);
  const { body: second } = await api.post<Lease>(`${path}/lease`, { takeover: true });
  await api.delete(`${path}/lease?leaseId=${second.leaseId}`);
  expect((await waits).status).toBe(200);
  const page = (await api.raw({ path: '/metrics' })).body;
  expect({
    refused: ['lease', 'lease-lost', 'no-agent'].map((reason) =>
      valueIn(page, `input_refused_total{reason="${reason}"}`),
    ),
    ended: ['takeover', 'released', 'person'].map((why) => valueIn(page, `leases_ended_total{why="${why}"}`)),
    taken: valueIn(page, 'leases_taken_total'),
    held: valueIn(page, 'leases_held'),
    waiting: valueIn(page, 'input_waiting'),
  }).toEqual({ refused: [2, 1, 1], ended: [1, 1, 0], taken: 2, held: 0, waiting: 0 });
});

test('/metrics counts requests that access refuses, by status, and no other 404', async () => {
  const { make, own, send } = await guard(used.service);
  const metrics = async () => {
    const answer = await fetch(`${used.service.url}/metrics`, {
      headers: { authorization: `Bearer ${own}` },
    });
    const page = await answer.text();
    return ['401', '403', '404'].map((status) => valueIn(page, `access_refused_total{status="${status}"}`));
  };
  const { token } = await make(['read'], { selector: 'team=a' });
  const before = await metrics();
  expect((await send('at_wrong', 'GET', '/api/terminals')).status).toBe(401);
  expect((await send(token, 'POST', '/api/terminals', {})).status).toBe(403);
  expect((await send(token, 'GET', '/api/terminals/term_unknown')).status).toBe(404);
  expect((await send(own, 'GET', '/api/terminals/term_unknown')).status).toBe(404);
  await expect.poll(metrics).toEqual(before.map((count) => count + 1));
});
