import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { composingAgent } from './composing-agent.js';
import { type FakeAgents, fakeAgents } from './fake-agents.js';
import { type Watcher, watch } from './http.js';
import type { useService } from './use-service.js';
import { ask } from './ws-ask.js';

/** Agents with a composer, and a person who types beside them, for the tests of the calling file. */
export function usePromptedAgents(used: Pick<ReturnType<typeof useService>, 'api' | 'service'>) {
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
  let messages = 0;
  /** Writes the program of an agent; resolves with its path, and the file of the lines that it receives. */
  const script = async (options: Parameters<typeof composingAgent>[1] = {}) => {
    const file = join(folder, `got-${++count}`);
    return { file, path: await agents.script(`${count}/claude`, composingAgent(file, options)) };
  };
  return {
    script,
    /** Opens a terminal with an agent that is idle; `got` resolves with the lines that the agent has received. */
    agent: async (options: { workMs?: number } = {}) => {
      const { file, path } = await script(options);
      const { body } = await used.api.post<{ id: string }>('/api/terminals', { command: [path] });
      const idle = { until: 'agent', agentStatus: 'idle', timeoutMs: 30_000 };
      const { body: waited } = await used.api.post<{ done: boolean }>(`/api/terminals/${body.id}/wait`, idle);
      expect(waited.done).toBe(true);
      const got = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1);
      return { id: body.id, got };
    },
    typeAsPerson: (id: string, data: string) => {
      const payload = { action: 'terminal:input', terminalId: id, data };
      return ask(person, { id: `m${++messages}`, type: 'command', payload });
    },
  };
}
