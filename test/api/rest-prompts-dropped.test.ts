import { describe, expect, test } from 'vitest';
import { usePromptedAgents } from '../support/prompted-agents.js';
import { promptsAt } from '../support/prompts.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
const { add, ended } = promptsAt(() => used.api);
const { agent, typeAsPerson } = usePromptedAgents(used);

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
