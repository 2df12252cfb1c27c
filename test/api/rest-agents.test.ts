import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AgentExplanation, AgentState } from '#dist/contract/agent.js';
import type { ProcessEntry, ProcessList } from '#dist/contract/system.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { AIDER, CLAUDE, type DrawnAgent, drawnAgent, OPENCODE, PLAIN } from '../support/drawn-agents.js';
import { failed } from '../support/failed.js';
import { type FakeAgents, fakeAgents } from '../support/fake-agents.js';
import { type Api, createApi, type Failure, type Watcher, watch } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let api: Api;
let agents: FakeAgents;

beforeAll(async () => {
  agents = await fakeAgents();
  service = await startService({ env: { SHELL: '/bin/bash' } });
  api = createApi(service.url);
});
afterAll(async () => {
  await service?.stop();
  await agents?.remove();
});

const create = async (body?: unknown) => (await api.post<Terminal>('/api/terminals', body)).body;
const press = (id: string, data: string) => api.post(`/api/terminals/${id}/input`, { data });
const explain = (id: string) => api.get<AgentExplanation>(`/api/terminals/${id}/agent/explain`);

async function entryOf(id: string): Promise<ProcessEntry | undefined> {
  const { body } = await api.get<ProcessList>('/api/processes');
  return body.processes.find((entry) => entry.id === id);
}

/** Resolves with the terminal's entry once its agent has this status, by this sign: another one may be drawn first. */
async function entryWhen(id: string, agentStatus: AgentState['agentStatus'], reason?: string) {
  let entry: ProcessEntry | undefined;
  await eventually(`${id} is ${agentStatus}`, async () => {
    entry = await entryOf(id);
    const isReason = reason === undefined || entry?.agentStatusReason === reason;
    return isReason && entry?.agentStatus === agentStatus && (agentStatus === null || entry.agent !== null);
  }).catch((cause: unknown) => {
    throw new Error(`the last entry was ${JSON.stringify(entry)}`, { cause });
  });
  return entry!;
}

/** Opens a terminal with an agent of this name that draws `drawn`; resolves once the agent has drawn something. */
async function startAgent(name: string, drawn: DrawnAgent): Promise<string> {
  const path = await agents.script(`bin/${name}`, drawnAgent(drawn));
  const { id } = await create({ command: [path] });
  const shown = () => api.get<{ raw: string }>(`/api/terminals/${id}/output`);
  await eventually(`${name} has drawn`, async () => (await shown()).body.raw !== '');
  return id;
}

describe('agentStatus and agentStatusReason of GET /api/processes, and GET /api/terminals/:id/agent/explain', () => {
  test('an agent at its input box, at work, and waiting for an answer', async () => {
    const id = await startAgent('claude', CLAUDE);
    expect(await entryWhen(id, 'idle')).toMatchObject({
      agent: 'claude',
      agentStatusReason: 'its title says so',
    });
    await press(id, 'w');
    expect(await entryWhen(id, 'working')).toMatchObject({ agentStatusReason: 'its title says so' });
    expect((await explain(id)).body).toMatchObject({
      agentStatus: 'working',
      rule: { source: 'agent', where: 'title' },
      row: null,
      line: '⠐ Mend the build',
      title: '⠐ Mend the build',
    });
    await press(id, 'p');
    await entryWhen(id, 'waiting', 'a dialog is open');
    const { body } = await explain(id);
    expect(body).toMatchObject({
      agent: 'claude',
      agentStatus: 'waiting',
      agentStatusReason: 'a dialog is open',
      rule: { source: 'agent', status: 'waiting', where: 'bottom', text: 'esc to cancel' },
      row: 8,
      line: 'Esc to cancel · Tab to amend',
    });
    expect(body.rules.filter(({ holds }) => holds).length).toBeGreaterThan(1);
    expect(body.quietMs).toBeGreaterThanOrEqual(0);
  });

  test('an agent that uses the alternate screen', async () => {
    const id = await startAgent('opencode', OPENCODE);
    await entryWhen(id, 'idle');
    await press(id, 'w');
    await entryWhen(id, 'working');
    await press(id, 'p');
    await entryWhen(id, 'waiting');
    expect((await explain(id)).body).toMatchObject({ row: 0, line: '┃  △ Permission required' });
  });

  test('an agent that asks line by line, at its cursor', async () => {
    const id = await startAgent('aider', AIDER);
    await entryWhen(id, 'idle');
    expect((await explain(id)).body).toMatchObject({ rule: { where: 'cursor' }, row: 3, line: '>' });
    await press(id, 'p');
    await entryWhen(id, 'waiting');
    await press(id, 'w');
    await entryWhen(id, 'working');
  });

  test('an agent without rules of its own, by the common signs and by its output', async () => {
    const id = await startAgent('jules', PLAIN);
    await press(id, 'w');
    expect(await entryWhen(id, 'working')).toMatchObject({
      agent: 'jules',
      agentStatusReason: 'it has printed within the last 1.5 s',
    });
    expect((await explain(id)).body).toMatchObject({ rule: null, row: null, line: null });
    await press(id, 'i');
    expect(await entryWhen(id, 'idle')).toMatchObject({
      agentStatusReason: 'it has printed nothing for 1.5 s',
    });
    await press(id, 'p');
    await entryWhen(id, 'waiting');
    expect((await explain(id)).body).toMatchObject({ rule: { source: 'any' }, line: 'Shall I go on? (y/n)' });
  });

  test('a program that is no agent has none, whatever it draws', async () => {
    const path = await agents.script('bin/editor', drawnAgent(CLAUDE));
    const { id } = await create({ command: [path] });
    await press(id, 'p');
    await eventually('it is drawn', async () => {
      const { body } = await api.get<{ raw: string }>(`/api/terminals/${id}/output`);
      return body.raw.includes('Do you want to proceed?');
    });
    const none = { agent: null, agentStatus: null, agentStatusReason: null };
    expect(await entryOf(id)).toMatchObject(none);
    expect((await explain(id)).body).toEqual({
      ...none,
      ...{ rule: null, row: null, line: null, title: null, quietMs: null, rules: [] },
    });
  });

  test('an unknown terminal is a 404, and an exited terminal has no agent', async () => {
    const { status, body } = await api.get<Failure>('/api/terminals/term_none/agent/explain');
    expect({ status, body }).toEqual({ status: 404, body: failed('Terminal not found') });
    const id = await startAgent('codex', PLAIN);
    await press(id, 'q');
    await eventually('it has exited', async () => (await explain(id)).body.agent === null);
  });
});

describe('the setting agents.<label>.rules', () => {
  const setRules = (label: string, rules: unknown) =>
    api.patch<Failure>('/api/settings', { agents: { [label]: { rules } } });

  test('adds rules that come before the built-in ones, at once', async () => {
    const id = await startAgent('plandex', PLAIN);
    await press(id, 'h');
    await entryWhen(id, 'idle');
    const { status } = await setRules('Plandex', [{ status: 'waiting', text: 'house*ask me', rows: 2 }]);
    expect(status).toBe(200);
    const entry = await entryOf(id);
    expect(entry).toMatchObject({ agentStatus: 'waiting' });
    expect(entry!.agentStatusReason).toContain('house*ask me');
    expect((await explain(id)).body).toMatchObject({
      rule: { source: 'settings', status: 'waiting', where: 'bottom', rows: 2, text: 'house*ask me' },
      row: 0,
      line: 'The house rule says: ASK ME NOW, please',
    });
    await setRules('Plandex', [{ status: 'waiting', text: 'house*ask me', rows: 1 }]);
    expect(await entryOf(id)).toMatchObject({ agentStatus: 'idle' });
    await setRules('Plandex', null);
    expect((await explain(id)).body.rules.map(({ source }) => source)).not.toContain('settings');
  });

  test('an answer of GET can be sent back', async () => {
    await setRules('mine', [{ status: 'idle', text: 'x' }]);
    const { body } = await api.get<{ agents: Record<string, unknown> }>('/api/settings');
    expect(body.agents.mine).toEqual({
      rules: [{ status: 'idle', text: 'x', rows: 12, where: 'bottom' }],
    });
    expect((await api.patch('/api/settings', { agents: body.agents })).body).toMatchObject({
      agents: body.agents,
    });
    await api.patch('/api/settings', { agents: { mine: null } });
  });

  test.each([
    ['an unknown status', [{ status: 'bored', text: 'x' }], 'agents[mine][rules][0][status]'],
    ['no text', [{ status: 'idle' }], 'agents[mine][rules][0][text]'],
    ['an empty text', [{ status: 'idle', text: '' }], 'agents[mine][rules][0][text]'],
    ['wildcards alone', [{ status: 'idle', text: '**' }], 'agents[mine][rules][0][text]'],
    ['a text that is too long', [{ status: 'idle', text: 'x'.repeat(257) }], 'agents[mine][rules][0][text]'],
    ['no rows', [{ status: 'idle', text: 'x', rows: 0 }], 'agents[mine][rules][0][rows]'],
    ['a key that is none', [{ status: 'idle', text: 'x', regex: 'y' }], 'regex'],
    ['too many', Array.from({ length: 51 }, () => ({ status: 'idle', text: 'x' })), 'agents[mine][rules]'],
  ])('%s: 400, and nothing changes', async (_what, rules, named) => {
    const { status, body } = await setRules('mine', rules);
    expect(status).toBe(400);
    expect(body.error).toContain(named);
    const settings = await api.get<{ agents: Record<string, unknown> }>('/api/settings');
    expect(settings.body.agents.mine).toBeUndefined();
  });
});

describe('agent.status on the WebSocket', () => {
  const statusesIn = (watcher: Watcher, id: string) =>
    watcher.frames
      .filter(({ event }) => event?.type === 'agent.status' && event.terminalId === id)
      .map(({ event }) => event!.data);

  test('sends each change to clients that asked for lifecycle events, once and in order', async () => {
    const path = await agents.script('bin/claude', drawnAgent(CLAUDE));
    const watcher = await watch(service.url, 'events=lifecycle');
    onTestFinished(() => watcher.close());
    const { id } = await create();
    await press(id, `${path}\r`);
    const told = () => statusesIn(watcher, id).map(({ agentStatus }) => agentStatus);
    await watcher.until(() => told().includes('idle'));
    // Until the agent draws, the echo of the typed command counts as its output.
    const before = told().indexOf('idle');
    expect(told().slice(0, before)).toEqual(before === 0 ? [] : ['working']);
    const keys = { w: 'working', p: 'waiting', i: 'idle', q: null };
    const steps = (['w', 'p', 'w', 'i', 'q'] as const).map((key) => [key, keys[key]] as const);
    for (const [index, [key]] of steps.entries()) {
      await press(id, key);
      await watcher.until(() => told().length > before + 1 + index);
    }
    expect(told().slice(before)).toEqual(['idle', ...steps.map(([, status]) => status)]);
    expect(statusesIn(watcher, id)[before + 2]).toEqual({
      agent: 'claude',
      agentStatus: 'waiting',
      agentStatusReason: 'a dialog is open',
      agentSince: expect.any(Number),
    });
  });

  test('sends a later client the current statuses, and nothing to a client that does not ask', async () => {
    const id = await startAgent('opencode', OPENCODE);
    const plain = await watch(service.url);
    onTestFinished(() => plain.close());
    await entryWhen(id, 'idle');
    const watcher = await watch(service.url, 'events=lifecycle');
    onTestFinished(() => watcher.close());
    await watcher.until(() => statusesIn(watcher, id).length > 0);
    expect(statusesIn(watcher, id)[0]).toMatchObject({ agent: 'opencode', agentStatus: 'idle' });
    expect(statusesIn(plain, id)).toEqual([]);
  });
});
