// Requests with an Idempotency-Key that wait in line, whose clients leave and come back.
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CommandList } from '#dist/contract/command.js';
import type { BatchAnswer } from '#dist/contract/execute.js';
import type { Lease, LeaseState } from '#dist/contract/input-gate.js';
import { type Failure, type Watcher, watch } from '../support/http.js';
import { openKeylog } from '../support/keylog.js';
import { eventually } from '../support/processes.js';
import { openTerminal, runIn } from '../support/runs.js';
import { useService } from '../support/use-service.js';

const used = useService();
let watcher: Watcher;
beforeAll(async () => {
  watcher = await watch(used.service.url);
});
afterAll(() => watcher?.close());

const lease = async (id: string) => {
  const { body } = await used.api.post<Lease>(`/api/terminals/${id}/lease`, { ttlMs: 600_000 });
  return () => used.api.delete(`/api/terminals/${id}/lease?leaseId=${body.leaseId}`);
};
const inLine = (id: string, count: number) =>
  eventually(`${count} wait for ${id}`, async () => {
    const { body } = await used.api.get<LeaseState>(`/api/terminals/${id}/lease`);
    return body.queued === count;
  });
const replays = async () => {
  const { body } = await used.api.raw({ path: '/metrics' });
  return Number(/^auto_terminal_idempotent_replays_total (\d+)$/m.exec(body)?.[1]);
};

interface Sent {
  answer: Promise<{ status: number; body: unknown }>;
  leave(): void;
}

/** Sends a request on a connection of its own, which can be broken off. */
function send(path: string, body: object, key?: string): Sent {
  const headers = { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) };
  const agent = new Agent();
  const sent = request(new URL(path, used.service.url), { method: 'POST', headers, agent });
  const answer = new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    sent.once('error', reject).once('response', async (response) => {
      const text = (await response.toArray()).join('');
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
    });
  });
  sent.end(JSON.stringify(body));
  return { answer, leave: () => sent.destroy() };
}

/** Sends the first request, which waits in line, then a retry beside it, and breaks the first off. */
async function retried(id: string, path: string, body: object): Promise<Sent> {
  const key = `retried-${path}`;
  const first = send(path, body, key);
  await inLine(id, 1);
  const before = await replays();
  const retry = send(path, body, key);
  await eventually('the retry has come', async () => (await replays()) === before + 1);
  // The service sees the end of connections in order: once the other has left the line, it knows that the first has gone.
  const other = send(`/api/terminals/${id}/input`, { data: 'other', whenBusy: 'queue' });
  await inLine(id, 2);
  for (const gone of [first, other]) {
    gone.leave();
    await expect(gone.answer).rejects.toThrow();
  }
  await eventually('the other has left', async () => {
    const { body: state } = await used.api.get<LeaseState>(`/api/terminals/${id}/lease`);
    return state.queued < 2;
  });
  return retry;
}

test('a retry keeps the place in line of the first request, whose connection has broken', async () => {
  const keylog = await openKeylog(used.api, watcher);
  const { id } = keylog;
  const free = await lease(id);
  const wish = { data: 'once', whenBusy: 'queue', queueMs: 600_000 };
  const retry = await retried(id, `/api/terminals/${id}/input`, wish);
  await inLine(id, 1);
  await free();
  expect(await retry.answer).toEqual({ status: 200, body: { status: 'ok' } });
  expect(await keylog.until('once')).toBe('once');
});

test('a retry keeps the place of a request for a lease, too', async () => {
  const { id } = await openKeylog(used.api, watcher);
  const free = await lease(id);
  const retry = await retried(id, `/api/terminals/${id}/lease`, { waitMs: 600_000 });
  await inLine(id, 1);
  await free();
  expect(await retry.answer).toMatchObject({ status: 201, body: { fence: 2 } });
});

test('a batch that its client has left in line is typed by a retry where it was not typed', async () => {
  const [held, open] = [await openKeylog(used.api, watcher), await openKeylog(used.api, watcher)];
  const free = await lease(held.id);
  const batch = { terminalIds: [held.id, open.id], data: 'once', whenBusy: 'queue', queueMs: 600_000 };
  const first = send('/api/terminals/batch/input', batch, 'left-batch');
  await inLine(held.id, 1);
  await open.until('once');
  first.leave();
  await expect(first.answer).rejects.toThrow();
  await inLine(held.id, 0);
  await free();
  const { body } = await send('/api/terminals/batch/input', batch, 'left-batch').answer;
  expect((body as BatchAnswer).summary).toEqual({ total: 2, succeeded: 2, failed: 0 });
  await used.api.post('/api/terminals/batch/input', { terminalIds: [held.id, open.id], data: 'end' });
  expect([await held.until('end'), await open.until('end')]).toEqual(['onceend', 'onceend']);
});

test.each([
  ['type', 1, { success: true, exitCode: 0 }],
  ['drop', 0, { success: false, code: 'not-typed' }],
] as const)(
  'a run that its client has left before it is typed: whenLeft %j',
  async (whenLeft, waiting, result) => {
    const id = await openTerminal(used.api, ['bash', '--norc']);
    await runIn(used.api, id, 'true');
    const free = await lease(id);
    const wish = { whenBusy: 'queue', queueMs: 600_000, whenLeft };
    const body = { terminalIds: [id], command: 'echo mine', ...wish };
    const first = send('/api/terminals/batch/run', body, `left-run-${whenLeft}`);
    const other = send(`/api/terminals/${id}/input`, { data: 'other', whenBusy: 'queue' });
    await inLine(id, 2);
    for (const gone of [first, other]) {
      gone.leave();
      await expect(gone.answer).rejects.toThrow();
    }
    await inLine(id, waiting);
    await free();
    const retry = await send('/api/terminals/batch/run', body, `left-run-${whenLeft}`).answer;
    expect(retry).toMatchObject({ status: 200, body: { results: [result] } });
    const { body: listed } = await used.api.get<CommandList>(`/api/terminals/${id}/commands`);
    expect(listed.commands).toHaveLength(1 + waiting);
  },
);

test.each([{ waitFor: 0 }, { machines: 'all' }])(
  'a run that nobody may wait for cannot be dropped when its client leaves: %j',
  async (given) => {
    const targets = 'machines' in given ? { selector: 'role=none' } : { terminalIds: ['term_000000000000'] };
    const body = { ...targets, ...given, command: 'true', whenLeft: 'drop' };
    const { status, body: answer } = await used.api.post<Failure>('/api/terminals/batch/run', body);
    expect([status, answer.error]).toEqual([400, expect.stringContaining('whenLeft')]);
  },
);
