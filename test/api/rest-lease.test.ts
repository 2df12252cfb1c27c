import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Lease, LeaseState } from '#dist/contract/input-gate.js';
import type { BatchRunAnswer } from '#dist/contract/run.js';
import { ShellTerminal } from '../support/commands.js';
import { type Failure, type Watcher, watch } from '../support/http.js';
import { type Keylog, openKeylog } from '../support/keylog.js';
import { eventually } from '../support/processes.js';
import { useSharedService } from '../support/use-service.js';
import { ask } from '../support/ws-ask.js';

const used = useSharedService();
let watcher: Watcher;
let person: Watcher;

beforeAll(async () => {
  watcher = await watch(used.service.url, 'events=all');
  person = await watch(used.service.url, 'origin=user&output=0');
});
afterAll(async () => {
  await person?.close();
  await watcher?.close();
});

type Refused = Failure & { code: string; holder: { kind: string } | null; retryAfterMs: number };

const take = (id: string, body: object = {}) =>
  used.api.post<Lease & Refused>(`/api/terminals/${id}/lease`, body);
const type = (id: string, data: string, wish: object = {}) =>
  used.api.post<Refused & { status: string }>(`/api/terminals/${id}/input`, { data, ...wish });

let messages = 0;
/** Types over the WebSocket, as a person at the dashboard does. */
const typeAsPerson = (id: string, data: string) => {
  const payload = { action: 'terminal:input', terminalId: id, data };
  return ask(person, { id: `m${++messages}`, type: 'command', payload });
};

/** Changes of the terminal's leases, as the events report them. */
const leaseEvents = (id: string) =>
  watcher.frames.flatMap(({ event }) => {
    const isOne = event?.terminalId === id && event.type === 'input.changed' && event.data.lease;
    return isOne ? [event.data.lease as { state: string; why?: string; fence: number }] : [];
  });

/** Resolves once at least `count` clients wait for the terminal's lease. */
const inLine = (id: string, count: number) =>
  eventually(`${count} wait for ${id}`, async () => {
    const { body } = await used.api.get<LeaseState>(`/api/terminals/${id}/lease`);
    return body.queued >= count;
  });

async function leased(body: object = {}): Promise<{ keylog: Keylog; lease: Lease }> {
  const keylog = await openKeylog(used.api, watcher);
  const { status, body: lease } = await take(keylog.id, body);
  expect(status).toBe(201);
  return { keylog, lease };
}

describe('a lease', () => {
  test('keeps every other program out, whatever it asks for, and lets its holder type', async () => {
    const { keylog, lease } = await leased({ reason: 'a long prompt' });
    const { id } = keylog;
    for (const wish of [
      {},
      { whenBusy: 'force' },
      { whenBusy: 'refuse' },
      { whenBusy: 'queue', queueMs: 1 },
    ]) {
      const { status, body, headers } = await type(id, 'no', wish);
      expect([status, body.code, body.holder?.kind]).toEqual([423, 'locked', 'service']);
      expect(body.retryAfterMs).toBeGreaterThan(20_000);
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(20);
    }
    const keys = await used.api.post<Refused>(`/api/terminals/${id}/keys`, { keys: ['x'] });
    const execute = await used.api.post<Refused>(`/api/terminals/${id}/execute`, { prompt: 'no' });
    expect([keys.body.code, execute.body.code]).toEqual(['locked', 'locked']);
    const reply = await ask(watcher, {
      id: 'ws-locked',
      type: 'command',
      payload: { action: 'terminal:input', terminalId: id, data: 'no' },
    });
    expect(reply).toMatchObject({ success: false, code: 'locked' });
    const mine = { lease: lease.leaseId };
    expect((await type(id, 'yes', mine)).body).toEqual({ status: 'ok' });
    await used.api.post(`/api/terminals/${id}/keys`, { keys: ['!'], ...mine });
    expect(await keylog.until('yes!')).toBe('yes!');
    const { body } = await used.api.get<{ input: object }>(`/api/terminals/${id}`);
    expect(body.input).toEqual({
      ...{ holder: { kind: 'service', verified: false }, fence: 1, expiresAt: lease.expiresAt },
      ...{ reason: 'a long prompt', humanAt: null, draft: false, queued: 0 },
    });
  });

  test('ends by DELETE, and then its writes are refused and those of others typed', async () => {
    const { keylog, lease } = await leased();
    const { id } = keylog;
    const path = `/api/terminals/${id}/lease`;
    expect((await used.api.delete(`${path}?leaseId=lease_other`)).status).toBe(423);
    expect((await used.api.delete(`${path}?leaseId=${lease.leaseId}`)).status).toBe(200);
    const late = await type(id, 'late', { lease: lease.leaseId });
    expect([late.status, late.body.code]).toEqual([423, 'lease-lost']);
    await type(id, 'others');
    expect(await keylog.until('others')).toBe('others');
    expect((await take(id)).body.fence).toBe(2);
  });

  test('ends by itself, later if it is renewed', async () => {
    const { keylog, lease } = await leased({ ttlMs: 600_000 });
    const { id } = keylog;
    const renew = (ttlMs: number) =>
      used.api.put<Lease>(`/api/terminals/${id}/lease`, { leaseId: lease.leaseId, ttlMs });
    const longer = await renew(500_000);
    expect(longer.body).toMatchObject({ leaseId: lease.leaseId, fence: 1 });
    await renew(1);
    await watcher.until(() => leaseEvents(id).some(({ why }) => why === 'expired'));
    expect((await renew(1_000)).status).toBe(423);
    expect((await type(id, 'free')).status).toBe(200);
  });

  test('is given in the order of those who wait, and to who takes it over before them', async () => {
    const { keylog, lease } = await leased({ ttlMs: 600_000 });
    const { id } = keylog;
    const granted: string[] = [];
    const waiting = ['first', 'second'].map(async (name, index) => {
      await inLine(id, index);
      const { body } = await take(id, { waitMs: 60_000, reason: name });
      granted.push(name);
      return body;
    });
    await inLine(id, 2);
    expect((await take(id)).status).toBe(423);
    const thief = (await take(id, { takeover: true })).body;
    expect(thief.fence).toBe(2);
    expect((await type(id, 'late', { lease: lease.leaseId })).body.code).toBe('lease-lost');
    await used.api.delete(`/api/terminals/${id}/lease?leaseId=${thief.leaseId}`);
    const first = await waiting[0]!;
    expect([first.fence, granted]).toEqual([3, ['first']]);
    await used.api.delete(`/api/terminals/${id}/lease?leaseId=${first.leaseId}`);
    expect((await waiting[1]!).fence).toBe(4);
  });

  test('ends with a key of a person, who is let through at once; reports of an emulator end nothing', async () => {
    const { keylog, lease } = await leased();
    const { id } = keylog;
    await typeAsPerson(id, '\x1b[I');
    await typeAsPerson(id, '\x1b[12;40R');
    expect((await type(id, 'a', { lease: lease.leaseId })).status).toBe(200);
    expect((await typeAsPerson(id, 'k')).success).toBe(true);
    expect((await type(id, 'b', { lease: lease.leaseId })).body.code).toBe('lease-lost');
    expect(await keylog.until('k')).toBe('\x1b[I\x1b[12;40Rak');
    await watcher.until(() => leaseEvents(id).length === 2);
    expect(leaseEvents(id)[1]).toMatchObject({ state: 'ended', why: 'person', fence: lease.fence });
  });

  test('is given once for a key, however often it is asked for', async () => {
    const keylog = await openKeylog(used.api, watcher);
    const post = () =>
      used.api.raw({
        method: 'POST',
        path: `/api/terminals/${keylog.id}/lease`,
        headers: { 'content-type': 'application/json', 'idempotency-key': `lease-${keylog.id}` },
        body: '{}',
      });
    const [first, again] = [await post(), await post()];
    expect([first.status, again.body]).toEqual([201, first.body]);
  });

  test('ends with its terminal, and an unknown terminal has none', async () => {
    const { keylog } = await leased();
    const waiting = take(keylog.id, { waitMs: 60_000 });
    await inLine(keylog.id, 1);
    await used.api.delete(`/api/terminals/${keylog.id}`);
    expect((await waiting).body.code).toBe('terminal-not-found');
    expect((await take(keylog.id)).status).toBe(404);
    expect((await used.api.get(`/api/terminals/${keylog.id}/lease`)).status).toBe(404);
  });

  test('keeps runs of others out of a shell, and lets those of its holder in', async () => {
    const shell = await ShellTerminal.open(used.api);
    const { body: lease } = await take(shell.id, { ttlMs: 600_000 });
    const run = (wish: object) =>
      used.api.post<BatchRunAnswer>('/api/terminals/batch/run', {
        ...{ terminalIds: [shell.id], command: 'echo ran', ...wish },
      });
    const others = (await run({})).body.results[0];
    const inTheWay = { code: 'locked', holder: { kind: 'service' }, draft: false };
    expect(others).toMatchObject({ success: false, ...inTheWay });
    expect(others!.retryAfterMs).toBeGreaterThan(500_000);
    const fleet = await used.api.post<Refused>('/api/fleet/execute', {
      ...{ terminalId: shell.id, command: 'echo ran' },
    });
    expect([fleet.status, fleet.body]).toMatchObject([423, inTheWay]);
    expect(fleet.body.retryAfterMs).toBeGreaterThan(500_000);
    const lost = (await run({ lease: 'lease_lost' })).body.results[0];
    expect(lost).toMatchObject({ success: false, code: 'lease-lost', holder: { kind: 'service' } });
    const own = (await run({ lease: lease.leaseId })).body.results[0];
    expect(own).toMatchObject({ success: true, exitCode: 0, raw: 'ran\n' });
    const waiting = run({ whenBusy: 'queue', queueMs: 60_000 });
    await inLine(shell.id, 1);
    await used.api.delete(`/api/terminals/${shell.id}/lease?leaseId=${lease.leaseId}`);
    expect((await waiting).body.results[0]).toMatchObject({ success: true, exitCode: 0 });
  });
});
