import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Prompt } from '#dist/contract/prompt.js';
import { composingAgent } from '../support/composing-agent.js';
import { EventStream } from '../support/event-client.js';
import { type FakeAgents, fakeAgents } from '../support/fake-agents.js';
import { createApi } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { Random } from '../support/random.js';
import { type Service, startService } from '../support/service.js';

const KILLS = Number(process.env.AUTO_TERMINAL_KILLS ?? 4);

let service: Service | undefined;
let agents: FakeAgents;
let folder: string;
beforeEach(async () => {
  agents = await fakeAgents();
  folder = await mkdtemp(join(tmpdir(), 'at-prompts-'));
});
afterEach(async () => {
  await service?.stop();
  service = undefined;
  await agents.remove();
  await rm(folder, { recursive: true, force: true });
});

async function startWithAgent() {
  const file = join(folder, 'got');
  const script = await agents.script('claude', composingAgent(file, { workMs: 1_500 }));
  service = await startService();
  const { body } = await createApi(service.url).post<{ id: string }>('/api/terminals', { command: [script] });
  const got = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1);
  return { id: body.id, got };
}

describe('queued prompts', { timeout: 300_000 + KILLS * 60_000 }, () => {
  test('survive kills at any moment: each is typed once at most, in order, and its state is right', async () => {
    const { id, got } = await startWithAgent();
    const random = new Random(7);
    const path = `/api/terminals/${id}/prompts`;
    const texts = [...Array(KILLS * 2).keys()].map((n) => `prompt-${n}`);
    for (const prompt of texts) await createApi(service!.url).post(path, { prompt, when: 'agent-idle' });
    for (let kill = 0; kill < KILLS; kill++) {
      const stream = await EventStream.open(service!.url, { query: 'types=prompt.ended' });
      const killed = service!;
      // Each delivery takes a few seconds, so the kill comes before, during or after the typing.
      const timer = setTimeout(() => void killed.kill('SIGKILL'), random.below(6_000));
      await stream.closed;
      clearTimeout(timer);
      service = await startService({ home: killed.home });
    }
    const list = async () => (await createApi(service!.url).get<{ prompts: Prompt[] }>(path)).body.prompts;
    await eventually(
      'all have ended',
      async () => (await list()).every(({ endedAt }) => endedAt !== null),
      240_000,
    );
    const prompts = await list();
    const typed = await got();
    expect(prompts.map(({ prompt }) => prompt)).toEqual(texts);
    expect(typed).toEqual([...new Set(typed)]);
    expect(typed).toEqual(texts.filter((text) => typed.includes(text)));
    for (const { prompt, state, reason } of prompts) {
      expect([state, reason]).toEqual(state === 'submitted' ? [state, null] : ['unknown', 'restarted']);
      if (state === 'submitted') expect(typed).toContain(prompt);
    }
  });

  test('wait over a restart, and end with a terminal that has ended meanwhile', async () => {
    const { id, got } = await startWithAgent();
    let api = createApi(service!.url);
    const end = join(folder, 'end');
    // This program ends while no service runs.
    const command = ['bash', '-c', `while [ ! -e ${end} ]; do sleep 0.1; done`];
    const gone = (await api.post<{ id: string }>('/api/terminals', { command })).body.id;
    const later = (
      await api.post<Prompt>(`/api/terminals/${id}/prompts`, { prompt: 'later', afterMs: 3_000 })
    ).body;
    const lost = (await api.post<Prompt>(`/api/terminals/${gone}/prompts`, { prompt: 'lost' })).body;
    const short = (
      await api.post<Prompt>(`/api/terminals/${id}/prompts`, {
        prompt: 'short',
        afterMs: 60_000,
        expiresInMs: 1,
      })
    ).body;
    await service!.kill('SIGKILL');
    await writeFile(end, '');
    service = await startService({ home: service!.home });
    api = createApi(service.url);
    const state = async ({ id: promptId, terminalId }: Prompt) =>
      (await api.get<Prompt>(`/api/terminals/${terminalId}/prompts/${promptId}`)).body.state;
    await eventually('the terminal has ended', async () => (await state(lost)) === 'terminal-gone');
    await eventually('it is typed', async () => (await state(later)) === 'submitted');
    expect(await state(short)).toBe('expired');
    expect(await got()).toEqual(['later']);
  });
});
