import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { composingAgent } from '../support/composing-agent.js';
import { type FakeAgents, fakeAgents } from '../support/fake-agents.js';
import { type Watcher, watch } from '../support/http.js';
import { promptsAt } from '../support/prompts.js';
import { useService } from '../support/use-service.js';
import { ask } from '../support/ws-ask.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
const { add, ended } = promptsAt(() => used.api);
let agents: FakeAgents;
let folder: string;
let person: Watcher;

beforeAll(async () => {
  agents = await fakeAgents();
  folder = await mkdtemp(join(tmpdir(), 'at-prompts-'));
  person = await watch(used.service.url, 'origin=user&output=0');
});
afterAll(async () => {
  await person?.close();
  await agents?.remove();
  await rm(folder, { recursive: true, force: true });
});

let count = 0;
/** Opens a terminal with an agent that is idle; `got` resolves with the lines that the agent has received. */
async function agent(options: { workMs?: number } = {}) {
  const file = join(folder, `got-${++count}`);
  const script = await agents.script(`${count}/claude`, composingAgent(file, options));
  const { body } = await used.api.post<{ id: string }>('/api/terminals', { command: [script] });
  const idle = { until: 'agent', agentStatus: 'idle', timeoutMs: 30_000 };
  const { body: waited } = await used.api.post<{ done: boolean }>(`/api/terminals/${body.id}/wait`, idle);
  expect(waited.done).toBe(true);
  const got = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1);
  return { id: body.id, got };
}
let messages = 0;
const typeAsPerson = (id: string, data: string) => {
  const payload = { action: 'terminal:input', terminalId: id, data };
  return ask(person, { id: `m${++messages}`, type: 'command', payload });
};

describe('prompts whose line is dropped before it is known that nothing came of them', () => {
  test('hold back nobody where the line is dropped before it is known that they stall', async () => {
    const { id, got } = await agent();
    const stalled = await add(id, 'swallow this');
    await used.api.post(`/api/terminals/${id}/wait`, { until: 'text', text: 'swallow this' });
    await typeAsPerson(id, '\x15');
    expect(await ended(stalled)).toMatchObject({ state: 'stalled', reason: 'no-reaction' });
    expect(await ended(await add(id, 'behind'))).toMatchObject({ state: 'submitted' });
    expect(await got()).toEqual(['behind']);
  });

  test('are typed after a line that fish refuses and somebody drops right away', async () => {
    const { body } = await used.api.post<{ id: string }>('/api/terminals', { command: ['/usr/bin/fish'] });
    await used.api.post(`/api/terminals/${body.id}/wait`, { until: 'prompt' });
    const refused = await add(body.id, 'echo $?', { when: 'command-end' });
    await used.api.post(`/api/terminals/${body.id}/wait`, { until: 'text', text: 'echo $?' });
    await used.api.post(`/api/terminals/${body.id}/input`, { data: '\x15' });
    expect(await ended(refused)).toMatchObject({ state: 'unknown', reason: 'not-told' });
    const next = await add(body.id, 'echo next', { when: 'command-end' });
    expect(await ended(next)).toMatchObject({ state: 'submitted' });
  });
});
