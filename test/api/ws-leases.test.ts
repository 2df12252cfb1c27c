import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Lease, LeaseState } from '#dist/contract/input-gate.js';
import { type Frame, type Watcher, watch } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { openTerminal } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';
import { ask } from '../support/ws-ask.js';

const used = useSharedService();
let watcher: Watcher;
beforeAll(async () => {
  watcher = await watch(used.service.url, 'events=all&output=0');
});
afterAll(() => watcher?.close());

let messages = 0;
async function command(client: Watcher, payload: object): Promise<Frame & { code?: string }> {
  return ask(client, { id: `m${++messages}`, type: 'command', payload });
}

const open = () => watch(used.service.url, 'output=0');
const stateOf = async (id: string) => (await used.api.get<LeaseState>(`/api/terminals/${id}/lease`)).body;
const take = (client: Watcher, terminalId: string, more: object = {}) =>
  command(client, { action: 'lease:take', terminalId, ...more });

/** Reasons why the leases of a terminal have ended. */
const endsOf = (id: string) =>
  watcher.frames.flatMap(({ event }) => {
    const lease = event?.terminalId === id && event.type === 'input.changed' ? event.data.lease : undefined;
    return (lease as { why?: string } | undefined)?.why ?? [];
  });

test('a lease that is tied to its WebSocket ends with it, and another does not', async () => {
  const [tied, free] = [await openTerminal(used.api, ['cat']), await openTerminal(used.api, ['cat'])];
  const client = await open();
  const asked = { ttlMs: 600_000, reason: 'a look' };
  expect(await take(client, tied, { ...asked, tie: 'connection' })).toMatchObject({
    success: true,
    data: { leaseId: expect.stringMatching(/^lease_/), fence: 1, expiresAt: expect.any(Number) },
  });
  await take(client, free, asked);
  expect(await stateOf(tied)).toMatchObject({ holder: { kind: 'service' }, reason: 'a look' });
  expect((await used.api.post(`/api/terminals/${tied}/input`, { data: 'no' })).status).toBe(423);
  await client.close();
  await eventually('it has ended', async () => (await stateOf(tied)).holder === null);
  expect((await stateOf(free)).holder).not.toBeNull();
  await eventually('it is told', () => endsOf(tied).length > 0);
  expect([endsOf(tied), endsOf(free)]).toEqual([['disconnected'], []]);
});

test('a lease that was not ended, since another terminal was named, still ends with its connection', async () => {
  const [held, other] = [await openTerminal(used.api, ['cat']), await openTerminal(used.api, ['cat'])];
  const client = await open();
  const { data } = await take(client, held, { ttlMs: 600_000, tie: 'connection' });
  const { leaseId } = data as unknown as Lease;
  expect(await command(client, { action: 'lease:end', terminalId: other, leaseId })).toMatchObject({
    ...{ success: false, code: 'lease-lost' },
  });
  await client.close();
  await eventually('it has ended', async () => (await stateOf(held)).holder === null);
});

test('a client that closes with many texts under way has typed them all, as far as nothing was in their way', async () => {
  const terminalId = await openTerminal(used.api, ['sh', '-c', 'stty raw -echo; exec cat']);
  const client = await open();
  const { data } = await take(client, terminalId, { ttlMs: 600_000 });
  const { leaseId } = data as unknown as Lease;
  const seen = await watch(used.service.url, `terminals=${terminalId}`);
  const payload = { action: 'terminal:input', terminalId, lease: leaseId };
  for (let n = 0; n < 300; n++)
    client.send({ id: `n${n}`, type: 'command', payload: { ...payload, data: `<${n}>` } });
  await client.close();
  const text = Array.from({ length: 300 }, (_, n) => `<${n}>`).join('');
  expect(await seen.untilOutput(terminalId, '<299>')).toContain(text);
  await seen.close();
});

test('a person whose text is refused, since no agent is there, ends no lease', async () => {
  const terminalId = await openTerminal(used.api, ['cat']);
  const { body } = await used.api.post<Lease>(`/api/terminals/${terminalId}/lease`, { ttlMs: 600_000 });
  const person = await watch(used.service.url, 'output=0&origin=user');
  const typed = { action: 'terminal:input', terminalId, data: 'y' };
  expect(await command(person, { ...typed, ifAgent: ['idle'] })).toMatchObject({ code: 'no-agent' });
  expect(await stateOf(terminalId)).toMatchObject({ fence: body.fence, holder: { kind: 'service' } });
  expect(await command(person, typed)).toMatchObject({ success: true });
  expect(await stateOf(terminalId)).toMatchObject({ holder: null });
  await person.close();
});

test('is renewed and ended by its id, and what was given back does not end again', async () => {
  const terminalId = await openTerminal(used.api, ['cat']);
  const client = await open();
  const { data } = await take(client, terminalId, { tie: 'connection' });
  const { leaseId, expiresAt } = data as unknown as Lease;
  const renewed = await command(client, { action: 'lease:renew', terminalId, leaseId, ttlMs: 600_000 });
  expect((renewed.data as unknown as Lease).expiresAt).toBeGreaterThan(expiresAt);
  expect(await command(client, { action: 'lease:end', terminalId, leaseId })).toMatchObject({
    success: true,
  });
  expect(await command(client, { action: 'lease:end', terminalId, leaseId })).toMatchObject({
    ...{ success: false, code: 'lease-lost' },
  });
  // Another client has the lease by the time the connection ends.
  const { body } = await used.api.post<Lease>(`/api/terminals/${terminalId}/lease`, {});
  await client.close();
  await used.api.put(`/api/terminals/${terminalId}/lease`, { leaseId: body.leaseId });
  expect(endsOf(terminalId)).toEqual(['released']);
});

test('whoever waits for one leaves the line with its WebSocket; wrong requests are refused', async () => {
  const terminalId = await openTerminal(used.api, ['cat']);
  await used.api.post(`/api/terminals/${terminalId}/lease`, {});
  const client = await open();
  expect(await take(client, terminalId)).toMatchObject({
    ...{ success: false, code: 'locked', holder: { kind: 'service' }, draft: false },
  });
  client.send({
    id: 'waits',
    type: 'command',
    payload: { action: 'lease:take', terminalId, waitMs: 600_000 },
  });
  await eventually('it waits', async () => (await stateOf(terminalId)).queued === 1);
  await client.close();
  await eventually('it has left', async () => (await stateOf(terminalId)).queued === 0);
  for (const [more, code] of [
    [{ terminalId: 'term_unknown' }, 'terminal-not-found'],
    [{ tie: 'terminal' }, 'invalid-request'],
    [{ ttlMs: 0 }, 'invalid-request'],
  ] as const)
    expect(await take(watcher, terminalId, more)).toMatchObject({ success: false, code });
});

test('a client with as many waiting inputs as may be in work is seen to leave', async () => {
  const [leased, tied] = [await openTerminal(used.api, ['cat']), await openTerminal(used.api, ['cat'])];
  const { body } = await used.api.post<Lease>(`/api/terminals/${leased}/lease`, { ttlMs: 600_000 });
  const client = await open();
  await take(client, tied, { tie: 'connection', ttlMs: 600_000 });
  const input = { action: 'terminal:input', data: 'ghost\r' };
  for (let n = 0; n < 64; n++) {
    const payload = { ...input, terminalId: leased, whenBusy: 'queue', queueMs: 600_000 };
    client.send({ id: `waits${n}`, type: 'command', payload });
  }
  await eventually('they wait', async () => (await stateOf(leased)).queued === 64);
  // What came before the close is carried out, unless it would wait.
  const free = await openTerminal(used.api, ['cat']);
  client.send({
    id: 'last',
    type: 'command',
    payload: { ...input, terminalId: free, data: 'said before\r' },
  });
  const closed = once(client.socket, 'close');
  client.socket.close(1000);
  // A service that does not read the close frame leaves it unanswered.
  expect((await closed)[0]).toBe(1000);
  await eventually('they have left', async () => (await stateOf(leased)).queued === 0);
  await eventually('its lease has ended', async () => (await stateOf(tied)).holder === null);
  const text = { until: 'text', text: 'said before' };
  expect((await used.api.post(`/api/terminals/${free}/wait`, text)).body).toMatchObject({ done: true });
  await used.api.delete(`/api/terminals/${leased}/lease?leaseId=${body.leaseId}`);
  await used.api.post(`/api/terminals/${leased}/input`, { data: 'after\r' });
  await used.api.post(`/api/terminals/${leased}/wait`, { until: 'text', text: 'after' });
  const { raw } = (await used.api.get<{ raw: string }>(`/api/terminals/${leased}/output`)).body;
  expect(raw).not.toContain('ghost');
});

test.each([
  [{ action: 'lease:take', ttlMs: 600_001 }, 'ttlMs: Too big'],
  [{ action: 'terminal:input', data: 'x', whenBusy: 'maybe' }, 'whenBusy: Invalid option'],
  [{ action: 'terminal:input', data: 'x', ifAgent: 'idle' }, 'ifAgent: Invalid input'],
])('the refusal of %j says which field is wrong', async (payload, error) => {
  const client = await open();
  const reply = await command(client, { terminalId: await openTerminal(used.api, ['cat']), ...payload });
  expect(reply).toMatchObject({ success: false, error: expect.stringContaining(error) });
  await client.close();
});
