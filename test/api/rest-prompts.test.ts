import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { EventStream } from '../support/event-client.js';
import { eventually } from '../support/processes.js';
import { usePromptedAgents } from '../support/prompted-agents.js';
import { promptsAt } from '../support/prompts.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
const { add, now, ended, waitsFor } = promptsAt(() => used.api);
const { agent, script, typeAsPerson } = usePromptedAgents(used);

async function shell() {
  const { body } = await used.api.post<{ id: string }>('/api/terminals', {});
  await used.api.post(`/api/terminals/${body.id}/wait`, { until: 'prompt' });
  return body.id;
}

describe('prompts for an agent', () => {
  test('are typed in their order, one each time that it is idle', async () => {
    const { id, got } = await agent();
    const stream = await EventStream.open(used.service.url, { query: `types=prompt.*&terminals=${id}` });
    // The lease holds back typing until all prompts are queued.
    const lease = await used.api.post<{ leaseId: string }>(`/api/terminals/${id}/lease`);
    const prompts = [];
    for (const text of ['first', 'second\nline', 'third']) {
      prompts.push(await add(id, text, { when: 'agent-idle' }));
    }
    expect(prompts[2]).toMatchObject({ state: 'queued', position: 3, waitsFor: 'turn', typedAt: null });
    await used.api.delete(`/api/terminals/${id}/lease?leaseId=${lease.body.leaseId}`);
    const outcomes = [];
    for (const prompt of prompts) outcomes.push(await ended(prompt));
    expect(outcomes.map(({ state, reason }) => [state, reason])).toEqual(Array(3).fill(['submitted', null]));
    expect(await got()).toEqual(['first', 'second|line', 'third']);
    const [first, second] = outcomes;
    expect(second!.typedAt).toBeGreaterThan(first!.endedAt!);
    await stream.until(() => stream.of('prompt.ended').length === 3);
    expect(stream.of('prompt.queued')).toHaveLength(3);
    expect(stream.of('prompt.ended').map(({ data }) => data.data)).toEqual(
      prompts.map((prompt) => ({ promptId: prompt.id, state: 'submitted', reason: null })),
    );
    await stream.cut();
  });

  test('wait for an agent that still starts: it would lose the Enter', async () => {
    const { file, path } = await script({ startMs: 8_000 });
    const { body: own } = await used.api.post<{ id: string }>('/api/terminals', { command: [path] });
    const id = await shell();
    await used.api.post(`/api/terminals/${id}/input`, { data: `${path}\r` });
    const prompts = [
      await add(own.id, 'one', { when: 'agent-idle' }),
      await add(id, 'two', { when: 'agent-idle' }),
    ];
    for (const prompt of prompts) expect(await ended(prompt)).toMatchObject({ state: 'submitted' });
    expect((await readFile(file, 'utf8')).split('\n').sort()).toEqual(['', 'one', 'two']);
  });

  test('wait for an agent that still starts below the prompt of a shell that looks like that of the agent', async () => {
    const { file, path } = await script({ startMs: 8_000 });
    const id = await shell();
    await used.api.post(`/api/terminals/${id}/input`, { data: `PS1='❯ '\r${path}\r` });
    const prompt = await add(id, 'three', { when: 'agent-idle' });
    expect(await ended(prompt)).toMatchObject({ state: 'submitted' });
    expect(await readFile(file, 'utf8')).toBe('three\n');
  });

  test('never answer a question, and are typed once somebody has', async () => {
    const { id, got } = await agent();
    expect(await ended(await add(id, 'ask me'))).toMatchObject({ state: 'submitted' });
    const next = await add(id, 'next');
    await waitsFor(next, 'ready');
    // The pause is far longer than the interval at which the service checks an agent.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(await now(next)).toMatchObject({ state: 'queued', waitsFor: 'ready' });
    expect(await got()).toEqual(['ask me']);
    await used.api.post(`/api/terminals/${id}/input`, { data: '\r' });
    expect(await ended(next)).toMatchObject({ state: 'submitted' });
    expect(await got()).toEqual(['ask me', 'answered', 'next']);
  });

  test('do not land in a half-typed line of a person', async () => {
    const { id, got } = await agent();
    await used.api.patch('/api/settings', { input: { humanQuietMs: 0 } });
    await typeAsPerson(id, 'half a ');
    const prompt = await add(id, 'mine');
    await waitsFor(prompt, 'gate');
    await typeAsPerson(id, 'line\r');
    expect(await ended(prompt)).toMatchObject({ state: 'submitted' });
    expect(await got()).toEqual(['half a line', 'mine']);
    await used.api.patch('/api/settings', { input: { humanQuietMs: null } });
  });

  test('wait for the end of another program’s lease', async () => {
    const { id, got } = await agent();
    const lease = await used.api.post<{ leaseId: string }>(`/api/terminals/${id}/lease`, { ttlMs: 60_000 });
    const prompt = await add(id, 'later');
    await waitsFor(prompt, 'gate');
    await used.api.delete(`/api/terminals/${id}/lease?leaseId=${lease.body.leaseId}`);
    expect(await ended(prompt)).toMatchObject({ state: 'submitted' });
    expect(await got()).toEqual(['later']);
  });

  test('stall where Enter does nothing, and hold back those behind until somebody has cleared the line', async () => {
    const { id, got } = await agent();
    const stalled = await add(id, 'swallow this');
    const next = await add(id, 'behind');
    expect(await ended(stalled)).toMatchObject({ state: 'stalled', reason: 'no-reaction' });
    await waitsFor(next, 'stalled');
    await used.api.post(`/api/terminals/${id}/input`, { data: '\x15' });
    expect(await ended(next)).toMatchObject({ state: 'submitted' });
    expect(await got()).toEqual(['behind']);
    // The line is cleared while no prompt waits.
    expect(await ended(await add(id, 'swallow this, too'))).toMatchObject({ state: 'stalled' });
    await used.api.post(`/api/terminals/${id}/input`, { data: '\x15' });
    expect(await ended(await add(id, 'last'))).toMatchObject({ state: 'submitted' });
    expect(await got()).toEqual(['behind', 'last']);
  });

  test('of an agent that has ended meanwhile are unknown; the next waits', async () => {
    const id = await shell();
    const { path } = await script();
    await used.api.post(`/api/terminals/${id}/input`, { data: `${path}\r` });
    const quit = await add(id, 'quit', { when: 'agent-idle' });
    const next = await add(id, 'again', { when: 'agent-idle' });
    expect(await ended(quit)).toMatchObject({ state: 'unknown', reason: 'agent-gone' });
    expect(await now(next)).toMatchObject({ state: 'queued', position: 1 });
  });
});

describe('prompts for a shell', () => {
  test('are typed when its command ends, in their order', async () => {
    const id = await shell();
    await used.api.post(`/api/terminals/${id}/input`, { data: 'read answer\r' });
    await eventually('the command runs', async () => {
      const { body } = await used.api.get<{ commands: unknown[] }>(`/api/terminals/${id}/commands`);
      return body.commands.length > 0;
    });
    const one = await add(id, 'echo "one is" typed; sleep 0.3', { when: 'command-end' });
    const two = await add(id, 'echo "two is" typed', { when: 'command-end' });
    await waitsFor(one, 'ready');
    await used.api.post(`/api/terminals/${id}/input`, { data: 'x\r' });
    expect(await ended(one)).toMatchObject({ state: 'submitted' });
    expect(await ended(two)).toMatchObject({ state: 'submitted' });
    const { body } = await used.api.get<{ commands: { commandLine: string }[] }>(
      `/api/terminals/${id}/commands`,
    );
    expect(body.commands.map(({ commandLine }) => commandLine).reverse()).toEqual([
      'read answer',
      'echo "one is" typed; sleep 0.3',
      'echo "two is" typed',
    ]);
  });

  test('leave alone a line that a program has half typed', async () => {
    const id = await shell();
    await used.api.post(`/api/terminals/${id}/input`, { data: 'echo half' });
    const prompt = await add(id, 'echo mine');
    await waitsFor(prompt, 'ready');
    await used.api.post(`/api/terminals/${id}/input`, { data: '\x15' });
    expect(await ended(prompt)).toMatchObject({ state: 'submitted' });
  });

  // fish reports its prompt before it draws it, so nothing shows that its line is empty.
  test.each(['bash', 'zsh'])(
    'are typed though a program has read a key of which %s knows nothing',
    async (name) => {
      const { body } = await used.api.post<{ id: string }>('/api/terminals', {
        command: [`/usr/bin/${name}`],
      });
      await used.api.post(`/api/terminals/${body.id}/wait`, { until: 'prompt' });
      await used.api.post(`/api/terminals/${body.id}/input`, { data: 'less /etc/passwd\r' });
      await used.api.post(`/api/terminals/${body.id}/wait`, { until: 'text', text: 'root:' });
      const early = await add(body.id, 'echo early', { when: 'command-end' });
      await used.api.post(`/api/terminals/${body.id}/input`, { data: 'q' });
      expect(await ended(early)).toMatchObject({ state: 'submitted' });
      // What was typed ahead is in the line: the prompt waits until somebody has dropped it.
      await used.api.post(`/api/terminals/${body.id}/input`, { data: 'sleep 1\r' });
      await used.api.post(`/api/terminals/${body.id}/input`, { data: 'ahead' });
      const late = await add(body.id, 'echo late', { when: 'command-end' });
      await used.api.post(`/api/terminals/${body.id}/wait`, { until: 'prompt', timeoutMs: 30_000 });
      // As long as the service may take to find out whether the line is empty.
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      expect(await now(late)).toMatchObject({ state: 'queued', waitsFor: 'ready' });
      await used.api.post(`/api/terminals/${body.id}/input`, { data: '\x15' });
      expect(await ended(late)).toMatchObject({ state: 'submitted' });
    },
  );

  test('of which no command comes are unknown', async () => {
    const id = await shell();
    expect(await ended(await add(id, '# nothing'))).toMatchObject({ state: 'unknown', reason: 'not-told' });
    expect(await ended(await add(id, 'true'))).toMatchObject({ state: 'submitted' });
  });

  test('are not added to a line that fish refuses and keeps', async () => {
    const { body } = await used.api.post<{ id: string }>('/api/terminals', { command: ['/usr/bin/fish'] });
    await used.api.post(`/api/terminals/${body.id}/wait`, { until: 'prompt' });
    const refused = await add(body.id, 'echo $?', { when: 'command-end' });
    const next = await add(body.id, 'echo next', { when: 'command-end' });
    expect(await ended(refused)).toMatchObject({ state: 'unknown', reason: 'not-told' });
    await waitsFor(next, 'ready');
    // As long as the service may take to find out what is in the line.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await now(next)).toMatchObject({ state: 'queued', waitsFor: 'ready' });
    await used.api.post(`/api/terminals/${body.id}/input`, { data: '\x15' });
    expect(await ended(next)).toMatchObject({ state: 'submitted' });
  });

  test('are typed at their time, and do not hold back those that are due', async () => {
    const id = await shell();
    const late = await add(id, 'echo late', { afterMs: 1_200 });
    expect(late).toMatchObject({ waitsFor: 'time', at: expect.any(Number) });
    const soon = await ended(await add(id, 'echo soon'));
    const done = await ended(late);
    expect([soon.state, done.state]).toEqual(['submitted', 'submitted']);
    expect(done.typedAt).toBeGreaterThanOrEqual(late.at!);
    expect(soon.typedAt).toBeLessThan(done.typedAt!);
  });
});
