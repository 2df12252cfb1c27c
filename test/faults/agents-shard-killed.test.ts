import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '#dist/app.js';
import type { ProcessList } from '#dist/contract/system.js';
import { type AppInProcess, startAppInProcess } from '../support/app.js';
import { CLAUDE, drawnAgent } from '../support/drawn-agents.js';
import { type FakeAgents, fakeAgents } from '../support/fake-agents.js';
import { type Api, createApi, type Watcher, watch } from '../support/http.js';

let running: AppInProcess;
let app: App;
let api: Api;
let watcher: Watcher;
let agents: FakeAgents;

beforeAll(async () => {
  agents = await fakeAgents();
  running = await startAppInProcess({ terminals: { shards: 2 } });
  app = running.app;
  api = createApi(app.url);
  watcher = await watch(app.url, 'events=lifecycle');
});
afterAll(async () => {
  await watcher?.close();
  await running?.stop();
  await agents?.remove();
});

const told = (id: string) =>
  watcher.frames
    .filter(({ event }) => event?.type === 'agent.status' && event.terminalId === id)
    .map(({ event }) => event!.data.agentStatus);

test('agents whose shards die while they are quiet are reported as before', async () => {
  const path = await agents.script('bin/claude', drawnAgent(CLAUDE));
  const ids = await Promise.all(
    [1, 2, 3, 4].map(
      async () => (await api.post<{ id: string }>('/api/terminals', { command: [path] })).body.id,
    ),
  );
  // Before it has drawn anything, its status is unknown; on a busy machine that is reported first.
  await watcher.until(() => ids.every((id) => told(id).at(-1) === 'idle'));
  const before = ids.map((id) => told(id).length);
  const shards = await app.terminals.shards;
  await Promise.all([shards.kill(0), shards.kill(1)]);
  // Waits until the successors run: on a busy machine a thread may need the whole second of a check to begin.
  await Promise.all(ids.map((id) => api.get(`/api/terminals/${id}/snapshot`)));
  const { body } = await api.get<ProcessList>('/api/processes');
  expect(body.processes.map(({ agentStatus }) => agentStatus)).toEqual(ids.map(() => 'idle'));
  for (const id of ids) await api.post(`/api/terminals/${id}/input`, { data: 'p' });
  await watcher.until(() => ids.every((id) => told(id).at(-1) === 'waiting'));
  expect(ids.map((id, index) => told(id).slice(before[index]))).toEqual(ids.map(() => ['waiting']));
  expect(running.fatal).toEqual([]);
});
