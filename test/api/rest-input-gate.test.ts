import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BatchAnswer } from '#dist/contract/execute.js';
import type { LeaseState } from '#dist/contract/input-gate.js';
import { CLAUDE, drawnAgent } from '../support/drawn-agents.js';
import { type FakeAgents, fakeAgents } from '../support/fake-agents.js';
import { type Failure, type Watcher, watch } from '../support/http.js';
import { openKeylog } from '../support/keylog.js';
import { eventually } from '../support/processes.js';
import { useService } from '../support/use-service.js';
import { ask } from '../support/ws-ask.js';

const used = useService();
let watcher: Watcher;
let person: Watcher;
let agents: FakeAgents;

beforeAll(async () => {
  agents = await fakeAgents();
  watcher = await watch(used.service.url);
  person = await watch(used.service.url, 'origin=user&output=0');
});
afterAll(async () => {
  await person?.close();
  await watcher?.close();
  await agents?.remove();
});

type Refused = Failure & {
  code: string;
  holder: { kind: string } | null;
  draft: boolean;
  retryAfterMs: number;
};

const type = (id: string, data: string, wish: object = {}) =>
  used.api.post<Refused>(`/api/terminals/${id}/input`, { data, ...wish });
const state = async (id: string) => (await used.api.get<LeaseState>(`/api/terminals/${id}/lease`)).body;
const inLine = (id: string, count: number) =>
  eventually(`${count} wait for ${id}`, async () => (await state(id)).queued === count);

let messages = 0;
const typeAsPerson = (id: string, data: string) => {
  const payload = { action: 'terminal:input', terminalId: id, data };
  return ask(person, { id: `m${++messages}`, type: 'command', payload });
};

describe('a half-typed line of a person', () => {
  test('holds back who asks to be, and nobody else', async () => {
    const keylog = await openKeylog(used.api, watcher);
    const { id } = keylog;
    await typeAsPerson(id, 'git pu');
    const refused = await type(id, 'no', { whenBusy: 'refuse' });
    expect(refused.status).toBe(423);
    expect(refused.body).toMatchObject({ code: 'locked', holder: { kind: 'user' }, draft: true });
    expect(refused.body.retryAfterMs).toBeGreaterThan(500_000);
    const batch = await used.api.post<BatchAnswer>('/api/terminals/batch/input', {
      ...{ terminalIds: [id, 'term_unknown'], data: 'no', whenBusy: 'refuse' },
    });
    expect(batch.body.results).toMatchObject([
      { terminalId: id, success: false, code: 'locked', draft: true },
      { success: false, code: 'terminal-not-found' },
    ]);
    const prompt = await used.api.post<Refused>(`/api/terminals/${id}/execute`, {
      ...{ prompt: 'no', whenBusy: 'queue', queueMs: 1 },
    });
    expect(prompt.body.code).toBe('locked');
    expect((await type(id, '<forced>')).status).toBe(200);
    expect(await keylog.until('<forced>')).toBe('git pu<forced>');
  });

  test.each([
    ['less', 'less /etc/passwd', 'root:', ['q']],
    ['cat, by Ctrl+D', 'echo go; cat', 'go', ['abc', '\x04', '\x04']],
  ])('is none where %s has read it before the shell’s prompt', async (_name, command, text, keys) => {
    await used.api.patch('/api/settings', { input: { humanQuietMs: 0 } });
    const { body } = await used.api.post<{ id: string }>('/api/terminals', { command: ['/bin/bash'] });
    await used.api.post(`/api/terminals/${body.id}/wait`, { until: 'prompt' });
    await typeAsPerson(body.id, `${command}\r`);
    await used.api.post(`/api/terminals/${body.id}/wait`, { until: 'text', text });
    for (const key of keys) await typeAsPerson(body.id, key);
    await eventually('the line is free', async () => {
      return (await type(body.id, '\x15', { whenBusy: 'refuse' })).status === 200;
    });
    await used.api.patch('/api/settings', { input: { humanQuietMs: null } });
  });

  test('lets those who wait go on in their order, once its author has sent it and is quiet', async () => {
    await used.api.patch('/api/settings', { input: { humanQuietMs: 0 } });
    const keylog = await openKeylog(used.api, watcher);
    const { id } = keylog;
    await typeAsPerson(id, 'x');
    const waiting = [];
    for (const [index, data] of ['1', '2', '3'].entries()) {
      waiting.push(type(id, data, { whenBusy: 'queue', queueMs: 60_000 }));
      await inLine(id, index + 1);
    }
    const late = await type(id, 'no', { whenBusy: 'refuse' });
    expect(late.body.code).toBe('locked');
    await typeAsPerson(id, '\r');
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await keylog.until('3')).toBe('x\r123');
    await used.api.patch('/api/settings', { input: { humanQuietMs: null } });
  });

  test('is protected from all programs by the setting', async () => {
    await used.api.patch('/api/settings', { input: { protectHumans: 'refuse' } });
    const keylog = await openKeylog(used.api, watcher);
    const { id } = keylog;
    expect((await type(id, 'a')).status).toBe(200);
    await typeAsPerson(id, 'b');
    expect((await type(id, 'c')).status).toBe(423);
    expect((await type(id, 'd', { whenBusy: 'force' })).status).toBe(200);
    expect(await keylog.until('d')).toBe('abd');
    await used.api.patch('/api/settings', { input: { protectHumans: null } });
    expect((await type(id, 'e')).status).toBe(200);
  });
});

describe('who waits in line', () => {
  test('leaves it with its client, also with a key', async () => {
    const keylog = await openKeylog(used.api, watcher);
    const { id } = keylog;
    await typeAsPerson(id, 'x');
    const controller = new AbortController();
    const left = fetch(`${used.service.url}/api/terminals/${id}/input`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `key-${id}` },
      body: JSON.stringify({ data: 'no', whenBusy: 'queue', queueMs: 60_000 }),
      signal: controller.signal,
    });
    await inLine(id, 1);
    controller.abort();
    await expect(left).rejects.toThrow();
    await inLine(id, 0);
    await type(id, 'end');
    expect(await keylog.until('end')).toBe('xend');
  });

  test('is answered as typed if an earlier attempt has typed, whoever has the terminal now', async () => {
    const keylog = await openKeylog(used.api, watcher);
    const { id } = keylog;
    const send = () =>
      used.api.raw({
        method: 'POST',
        path: `/api/terminals/${id}/input`,
        headers: { 'content-type': 'application/json', 'idempotency-key': `again-${id}` },
        body: JSON.stringify({ data: 'once', whenBusy: 'refuse' }),
      });
    expect((await send()).status).toBe(200);
    await typeAsPerson(id, 'x');
    expect((await send()).status).toBe(200);
    expect(await keylog.until('x')).toBe('oncex');
  });
});

describe('ifAgent', () => {
  const prompt = (id: string, wish: object = { ifAgent: ['idle'] }) =>
    used.api.post<Refused>(`/api/terminals/${id}/prompt`, { prompt: 'x', submissionSignal: '', ...wish });

  test('types to an idle agent, never into a question, and never where no agent is', async () => {
    const command = [await agents.script('claude', drawnAgent(CLAUDE))];
    const { body } = await used.api.post<{ id: string }>('/api/terminals', { command });
    const { id } = body;
    const status = (wanted: string) =>
      used.api.post(`/api/terminals/${id}/wait`, { until: 'agent', agentStatus: wanted });
    await status('idle');
    expect((await prompt(id)).status).toBe(200);
    await type(id, 'p');
    await status('waiting');
    // An agent that prints before the service learns that its input was accepted counts as working for 1.5 s.
    await eventually('the question is seen', async () => {
      const asked = await prompt(id);
      expect(asked.status).toBe(409);
      return asked.body.code === 'agent-waiting';
    });
    expect((await prompt(id, { ifAgent: ['waiting'] })).status).toBe(200);
    await type(id, 'w');
    await status('working');
    expect((await prompt(id)).body.code).toBe('agent-busy');
    const keylog = await openKeylog(used.api, watcher);
    const none = await prompt(keylog.id);
    expect([none.status, none.body.code]).toEqual([409, 'no-agent']);
    expect(keylog.reads()).toEqual([]);
  });
});
