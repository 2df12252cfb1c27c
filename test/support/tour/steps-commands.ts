import { settle } from './steps.js';
import type { Tour } from './tour.js';

const DONE_MS = 30_000;

/** Types into terminals, and reads their output. */
export async function typeAndRead(tour: Tour, tests: string, server: string): Promise<void> {
  const path = { id: tests };
  const { cursor } = await tour.call<{ cursor: string }>('POST /api/terminals/{id}/execute', {
    path,
    headers: { 'idempotency-key': 'first-test' },
    body: { prompt: './test.sh', cliType: 'default' },
  });
  const wait = { until: 'command', since: cursor, timeoutMs: DONE_MS };
  await tour.call('POST /api/terminals/{id}/wait', { path, body: wait });
  await tour.call('POST /api/terminals/wait', {
    body: { selector: 'repo=shop', until: ['waiting', 'failed', 'finished'], timeoutMs: DONE_MS },
  });
  await tour.call('POST /api/terminals/{id}/input', {
    path: { id: server },
    headers: { 'idempotency-key': 'start-server' },
    body: { data: './serve.sh\r' },
  });
  await tour.api.post(`/api/terminals/${server}/wait`, { until: 'text', text: 'shop listens on' });
  await tour.call('GET /api/terminals/{id}/output', { path, query: { lines: 20 } });
  await tour.call('GET /api/terminals/{id}/snapshot', { path: { id: server } });
  await tour.call('GET /api/terminals/{id}/capture', { path, query: { include_scrollback: 'true' } });
  await tour.call('GET /api/terminals/{id}/screenshot', { path });
  await tour.call('POST /api/terminals/changes', { body: { cursors: { [tests]: cursor, [server]: null } } });
  await tour.call('GET /api/processes');
  await tour.call('GET /api/processes/{id}/metrics', { path: { id: server } });
  await tour.call('POST /api/fleet/screen', { body: { terminalId: server } });
  await tour.call('POST /api/terminals/{id}/keys', {
    path: { id: server },
    headers: { 'idempotency-key': 'stop-server' },
    body: { keys: ['ctrl+c'] },
  });
  await settle(tour, server);
  const { commands } = await tour.call<{ commands: { id: string }[] }>('GET /api/terminals/{id}/commands', {
    path,
    query: { limit: 5 },
  });
  const of = { id: tests, commandId: commands[0]!.id };
  await tour.call('GET /api/terminals/{id}/commands/{commandId}/output', {
    path: of,
    query: { maxBytes: 4096 },
  });
}

/** Types prompts and commands, some of them into several terminals at once. */
export async function typeIntoMany(tour: Tour, tests: string, server: string): Promise<void> {
  await tour.call('POST /api/terminals/{id}/prompt', {
    path: { id: tests },
    headers: { 'idempotency-key': 'list-files' },
    body: { prompt: 'ls', cliType: 'default' },
  });
  await settle(tour, tests);
  await tour.call('POST /api/terminals/batch/execute', {
    headers: { 'idempotency-key': 'go-home' },
    body: { selector: 'repo=shop', prompt: 'cd ~/shop', cliType: 'default' },
  });
  await settle(tour, tests, server);
  await tour.call('POST /api/terminals/batch/input', {
    headers: { 'idempotency-key': 'say-ready' },
    body: { terminalIds: [tests, server], data: 'echo ready\r' },
  });
  await settle(tour, tests, server);
}

/** Takes the lease of a terminal, shows and renews it, and returns it. */
export async function takeLease(tour: Tour, tests: string): Promise<void> {
  const path = { id: tests };
  const { leaseId } = await tour.call<{ leaseId: string }>('POST /api/terminals/{id}/lease', {
    path,
    headers: { 'idempotency-key': 'mend-tests' },
    body: { ttlMs: DONE_MS, waitMs: 1_000, reason: 'mends the tests' },
  });
  await tour.call('GET /api/terminals/{id}/lease', { path });
  await tour.call('PUT /api/terminals/{id}/lease', { path, body: { leaseId, ttlMs: DONE_MS } });
  await tour.call('DELETE /api/terminals/{id}/lease', { path, query: { leaseId } });
}

/** Queues a prompt that waits for an agent, shows it, and cancels it. */
export async function queuePrompts(tour: Tour, tests: string): Promise<void> {
  const { id } = await tour.call<{ id: string }>('POST /api/terminals/{id}/prompts', {
    path: { id: tests },
    headers: { 'idempotency-key': 'write-tests' },
    body: { prompt: 'Now write the tests', when: 'agent-idle', afterMs: 3_600_000, expiresInMs: 7_200_000 },
  });
  const path = { id: tests, promptId: id };
  await tour.call('GET /api/terminals/{id}/prompts', { path: { id: tests } });
  await tour.call('GET /api/terminals/{id}/prompts/{promptId}', { path });
  await tour.call('GET /api/prompts', { query: { selector: 'repo=shop', state: 'queued' } });
  await tour.call('DELETE /api/terminals/{id}/prompts/{promptId}', { path });
}

/** Makes three runs: the first ends, the second is in a terminal of its own, and the third is cancelled. */
export async function runCommands(tour: Tour, tests: string, server: string): Promise<void> {
  const { runId } = await tour.call<{ runId: string }>('POST /api/terminals/batch/run', {
    headers: { 'idempotency-key': 'test-all' },
    body: { selector: 'repo=shop', command: './test.sh', waitFor: 'all', timeoutMs: DONE_MS },
  });
  await tour.call('GET /api/runs/{runId}', { path: { runId } });
  await tour.call('GET /api/runs/{runId}/stream', { path: { runId } });
  await tour.call('POST /api/fleet/execute', {
    headers: { 'idempotency-key': 'test-elsewhere' },
    body: { machineId: 'self', command: 'cd shop && ./test.sh', timeoutMs: DONE_MS },
  });
  const body = { terminalIds: [server], command: './serve.sh', timeoutMs: DONE_MS };
  const { body: before } = await tour.api.get<{ cursor: string }>(`/api/terminals/${server}/output`);
  const served = tour.api.post('/api/terminals/batch/run', body);
  const listens = { until: 'text', text: 'shop listens on', since: before.cursor };
  await tour.api.post(`/api/terminals/${server}/wait`, listens);
  const { body: listed } = await tour.api.get<{ runs: { runId: string }[] }>('/api/runs?limit=1');
  const running = { runId: listed.runs[0]!.runId };
  // The first cancel below answers after 2 s at the latest, and its answer differs on a slow machine: the example is a
  // second cancel.
  await tour.call('POST /api/terminals/{id}/signal', { path: { id: server }, body: { signal: 'CONT' } });
  await tour.api.post(`/api/runs/${running.runId}/cancel`);
  await served;
  await tour.call('POST /api/runs/{runId}/cancel', { path: running });
  await tour.call('GET /api/runs', { query: { limit: 10 } });
  await settle(tour, tests, server);
}

/** Shows the status of an agent in a terminal. */
export async function watchAgent(tour: Tour, agent: string): Promise<void> {
  const { body } = await tour.api.post<{ id: string }>('/api/terminals', { command: [agent], name: 'agent' });
  const wait = (agentStatus: string) =>
    tour.api.post(`/api/terminals/${body.id}/wait`, { until: 'agent', agentStatus });
  await wait('idle');
  await tour.api.post(`/api/terminals/${body.id}/input`, { data: 'p' });
  await wait('waiting');
  await tour.call('GET /api/terminals/{id}/agent/explain', { path: { id: body.id } });
  await tour.api.delete(`/api/terminals/${body.id}`);
}
