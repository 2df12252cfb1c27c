import { expect } from 'vitest';
import type { Prompt } from '#dist/contract/prompt.js';
import type { Api } from './http.js';
import { eventually } from './processes.js';

/** Queues prompts at one service, and follows their state. */
export function promptsAt(api: () => Api) {
  const now = async ({ id, terminalId }: Prompt) =>
    (await api().get<Prompt>(`/api/terminals/${terminalId}/prompts/${id}`)).body;
  return {
    now,
    add: async (id: string, prompt: string, more: object = {}): Promise<Prompt> => {
      const answer = await api().post<Prompt>(`/api/terminals/${id}/prompts`, { prompt, ...more });
      expect([answer.status, answer.body]).toEqual([201, expect.any(Object)]);
      return answer.body;
    },
    /** Resolves with the prompt once it has ended. */
    ended: async (prompt: Prompt) => {
      const isOver = async () => (await now(prompt)).endedAt !== null;
      await eventually(`${prompt.prompt} ends`, isOver).catch(async (cause: unknown) => {
        throw new Error(`${prompt.prompt}: ${JSON.stringify(await now(prompt))}`, { cause });
      });
      return now(prompt);
    },
    waitsFor: (prompt: Prompt, what: Prompt['waitsFor']) =>
      eventually(`${prompt.prompt} waits for ${what}`, async () => (await now(prompt)).waitsFor === what),
  };
}
