import { expect, test } from 'vitest';
import { CLAUDE, drawnAgent } from '../support/drawn-agents.js';
import { fakeAgents } from '../support/fake-agents.js';
import { useService } from '../support/use-service.js';

const used = useService();
const api = () => used.api;

test('a question is told once, though a viewer’s emulator has reported its focus since', async () => {
  const agents = await fakeAgents();
  try {
    const command = [await agents.script('claude', drawnAgent(CLAUDE))];
    const { body } = await api().post<{ id: string }>('/api/terminals', { command });
    const press = (data: string) => api().post(`/api/terminals/${body.id}/input`, { data });
    const next = async (until: string, seen: string[]) => {
      const asked = { terminalIds: [body.id], until: [until], seen, timeoutMs: 5_000 };
      const answer = await api().post<{ results: { id: string }[] }>('/api/terminals/wait', asked);
      return answer.body.results.map(({ id }) => id);
    };
    expect(await next('idle', [])).toHaveLength(1);
    await press('p');
    const told = await next('waiting', []);
    expect(told).toHaveLength(1);
    await press('\x1b[I');
    expect(await next('waiting', told)).toEqual([]);
    await press('i');
    await next('idle', []);
    await press('p');
    expect(await next('waiting', told)).toHaveLength(1);
  } finally {
    await agents.remove();
  }
});
