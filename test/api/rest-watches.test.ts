import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import type { Watch } from '#dist/contract/watch.js';
import type { CreatedWebhook } from '#dist/contract/webhook.js';
import { composingAgent } from '../support/composing-agent.js';
import { EventStream } from '../support/event-client.js';
import { failed } from '../support/failed.js';
import { fakeAgents } from '../support/fake-agents.js';
import type { Failure } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { promptsAt } from '../support/prompts.js';
import { Receiver } from '../support/receiver.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });

afterEach(async () => {
  const { body } = await used.api.get<{ watches: Watch[] }>('/api/watches');
  for (const { id } of body.watches) await used.api.delete(`/api/watches/${id}`);
});

const watch = async (body: object): Promise<Watch> => {
  const answer = await used.api.post<Watch>('/api/watches', body);
  expect([answer.status, answer.body]).toEqual([201, expect.any(Object)]);
  return answer.body;
};
const now = async (id: string) => (await used.api.get<Watch>(`/api/watches/${id}`)).body;
const follow = () => EventStream.open(used.service.url, { query: 'types=watch.*' });
/** Runs a bash script in a terminal; resolves with the terminal's id. */
const speaker = async (script: string, body: object = {}) =>
  (await used.api.post<Terminal>('/api/terminals', { command: ['bash', '-c', script], ...body })).body.id;
const type = (id: string, data: string) => used.api.post(`/api/terminals/${id}/input`, { data });

describe('a watch', () => {
  it('tells of a line that a program prints, in a terminal that is there or comes later', async () => {
    const stream = await follow();
    const early = await speaker('read x; printf "all fi"; printf "ne: needle here\\n"; read y', {
      labels: { role: 'test' },
    });
    const { id } = await watch({ text: 'needle', selector: 'role=test', name: 'n' });
    await speaker('echo a needle elsewhere; read y', { labels: { role: 'other' } });
    const late = await speaker('echo the needle at once; read y', { labels: { role: 'test' } });
    await stream.first('watch.matched', late);
    await type(early, '\n');
    const { data } = await stream.first('watch.matched', early);
    expect(data.data).toEqual({ watchId: id, name: 'n', count: 1, text: 'all fine: needle here' });
    expect(await now(id)).toMatchObject({
      ...{ selector: 'role=test', matches: 2, events: 2, gaps: 0, leftOut: 0, ended: null },
      lastMatch: { terminalId: early, text: 'all fine: needle here' },
    });
    expect(stream.of('watch.matched')).toHaveLength(2);
    await stream.cut();
  });

  it('does not count what was printed before it, nor prompts and what is typed at them', async () => {
    const stream = await follow();
    const id = (await used.api.post<Terminal>('/api/terminals', {})).body.id;
    await used.api.post(`/api/terminals/${id}/wait`, { until: 'prompt' });
    await used.api.post('/api/terminals/batch/run', { terminalIds: [id], command: 'echo old marker' });
    const { id: watchId } = await watch({ text: 'marker', terminals: [id], debounceMs: 0 });
    await used.api.post('/api/terminals/batch/run', { terminalIds: [id], command: ': marker' });
    await used.api.post('/api/terminals/batch/run', { terminalIds: [id], command: 'echo new mark""er' });
    const { data } = await stream.first('watch.matched', id);
    expect(data.data).toMatchObject({ watchId, text: 'new marker', count: 1 });
    expect((await now(watchId)).matches).toBe(1);
    await stream.cut();
  });

  it('follows labels', async () => {
    const id = await speaker('while read x; do echo "tick $x"; done');
    const { id: watchId } = await watch({ text: 'tick', selector: 'role=late', debounceMs: 0 });
    await type(id, '1\n');
    await used.api.post(`/api/terminals/${id}/wait`, { until: 'text', text: 'tick 1' });
    await used.api.patch(`/api/terminals/${id}`, { labels: { role: 'late' } });
    const stream = await follow();
    await type(id, '2\n');
    const { data } = await stream.first('watch.matched', id);
    expect(data.data.text).toBe('tick 2');
    expect((await now(watchId)).matches).toBe(1);
    await stream.cut();
  });

  it('gathers what matches after its first event, and loses none', async () => {
    const stream = await follow();
    const { id } = await watch({ text: 'hit', debounceMs: 1_000 });
    const terminal = await speaker('for i in $(seq 1000); do echo "hit $i"; done; read x');
    await stream.until(
      () => stream.of('watch.matched').reduce((sum, { data }) => sum + Number(data.data.count), 0) === 1_000,
    );
    const events = stream.of('watch.matched');
    expect(events.length).toBeLessThan(10);
    expect(events.at(-1)!.data.data.text).toBe('hit 1000');
    expect(events.every(({ data }) => data.terminalId === terminal)).toBe(true);
    expect(await now(id)).toMatchObject({ matches: 1_000, events: events.length });
    await stream.cut();
  });

  it('tries a regular expression on whole lines, and on a line without an end once it is quiet', async () => {
    const stream = await follow();
    const { id } = await watch({ regex: '^failed: (\\d+)\\b(?!%)', debounceMs: 0 });
    const terminal = await speaker(
      'echo failed: none; printf "failed: 1"; printf "2 tests\\n"; echo "not failed: 3"; printf "failed: 4 ?"; read x; echo; read y',
    );
    await stream.until(() => stream.of('watch.matched').length === 2);
    expect(stream.of('watch.matched').map(({ data }) => data.data.text)).toEqual([
      'failed: 12 tests',
      'failed: 4 ?',
    ]);
    // The line of the question ends now; it has already matched.
    await type(terminal, '\n');
    await used.api.post(`/api/terminals/${terminal}/wait`, { until: 'idle', idleMs: 500 });
    expect(await now(id)).toMatchObject({ matches: 2, leftOut: 0, isTooSlow: false });
    await stream.cut();
  });

  it('finds an expression at the end of a very long line, and tells 500 characters of it', async () => {
    const stream = await follow();
    await watch({ regex: 'failed: \\d+$' });
    const terminal = await speaker('printf "%09000d failed: 7\\n" 0; read x');
    const { data } = await stream.first('watch.matched', terminal);
    expect(data.data.text).toBe('0'.repeat(500));
    await stream.cut();
  });

  it('stalls nothing by an expression that takes for ever, and says so', async () => {
    const { id } = await watch({ regex: 'start: (a+)+$' });
    await speaker(`echo "start: ${'a'.repeat(40)}b"; read x`);
    await eventually('the expression is too slow', async () => (await now(id)).isTooSlow);
    expect(await now(id)).toMatchObject({ matches: 0, leftOut: 1 });
  });

  it('ends with its one event, or when its time is over', async () => {
    const stream = await follow();
    const once = await watch({ text: 'finish', once: true, debounceMs: 0 });
    const short = await watch({ text: 'finish', expiresInMs: 1 });
    await stream.first('watch.ended');
    expect(await now(short.id)).toMatchObject({ ended: 'expired', expiresAt: expect.any(Number) });
    await speaker('echo finish; read x; echo finish; read y');
    await stream.until(() => stream.of('watch.ended').length === 2);
    expect(stream.of('watch.ended').map(({ data }) => data.data)).toEqual([
      { watchId: short.id, reason: 'expired' },
      { watchId: once.id, reason: 'once' },
    ]);
    expect(stream.of('watch.matched')).toHaveLength(1);
    expect(await now(once.id)).toMatchObject({ ended: 'once', events: 1 });
    await stream.cut();
  });

  it('posts to a webhook, whatever its types, without the line', async () => {
    const receiver = await Receiver.open();
    const webhook = await used.api.post<CreatedWebhook>('/api/webhooks', {
      url: receiver.url,
      types: ['recording.started'],
    });
    const { id } = await watch({
      text: 'secret',
      actions: [{ type: 'webhook', webhookId: webhook.body.id }],
    });
    const terminal = await speaker('echo a secret word; read x');
    await receiver.until(() => receiver.got.length === 1);
    expect(receiver.got[0]!.body).toMatchObject({
      ...{ type: 'watch.matched', terminalId: terminal },
      data: { watchId: id, name: null, count: 1 },
    });
    expect(receiver.got[0]!.text).not.toContain('word');
    await used.api.delete(`/api/webhooks/${webhook.body.id}`);
    await receiver.close();
  });

  it('types a line into a shell at its prompt, one for all matches, and not before', async () => {
    const shell = (await used.api.post<Terminal>('/api/terminals', {})).body.id;
    await used.api.post(`/api/terminals/${shell}/wait`, { until: 'prompt' });
    await type(shell, 'read answer; echo "answered <$answer>"\r');
    await used.api.post(`/api/terminals/${shell}/wait`, { until: 'idle', idleMs: 300 });
    const action = { type: 'input', terminalId: shell, text: 'echo told {count} of {terminalId}' };
    const { id } = await watch({ text: 'ready', debounceMs: 0, maxPerMinute: 600, actions: [action] });
    const terminal = await speaker('echo ready 1; read x; echo ready 2; read y');
    await eventually('the line waits', async () => (await now(id)).waitingInput.length === 1);
    await type(terminal, '\n');
    await eventually('both matches wait', async () => (await now(id)).waitingInput[0]?.count === 2);
    expect((await now(id)).waitingInput).toEqual([
      { terminalId: shell, count: 2, since: expect.any(Number), reason: 'busy' },
    ]);
    await type(shell, 'mine\r');
    const told = `told 2 of ${terminal}`;
    const shown = await used.api.post(`/api/terminals/${shell}/wait`, { until: 'text', text: told });
    expect(shown.body).toMatchObject({ done: true });
    const { body } = await used.api.get<{ raw: string }>(`/api/terminals/${shell}/output?lines=50`);
    expect(body.raw).toContain('answered <mine>');
    await eventually('nothing waits', async () => (await now(id)).waitingInput.length === 0);
  });

  it('types nothing behind a prompt that has stalled, whose text may stand in the composer', async () => {
    const agents = await fakeAgents();
    const got = agents.path('got');
    const command = [await agents.script('claude', composingAgent(got))];
    const agent = (await used.api.post<Terminal>('/api/terminals', { command })).body.id;
    const { add, ended } = promptsAt(() => used.api);
    expect(await ended(await add(agent, 'swallow this'))).toMatchObject({ state: 'stalled' });
    const action = { type: 'input', terminalId: agent, text: 'go on' };
    const { id } = await watch({ text: 'ready', debounceMs: 0, actions: [action] });
    await speaker('echo ready; read x');
    await eventually('the line waits', async () => (await now(id)).waitingInput[0]?.reason === 'busy');
    await type(agent, '\x15');
    await eventually('the line is typed', async () => (await readFile(got, 'utf8').catch(() => '')) !== '');
    expect(await readFile(got, 'utf8')).toBe('go on\n');
    await agents.remove();
  });

  it('is deleted', async () => {
    const { id } = await watch({ text: 'x' });
    expect((await used.api.delete(`/api/watches/${id}`)).status).toBe(204);
    for (const answer of [
      await used.api.get<Failure>(`/api/watches/${id}`),
      await used.api.delete<Failure>(`/api/watches/${id}`),
    ])
      expect([answer.status, answer.body]).toEqual([404, failed('Watch not found')]);
  });

  it.each<[string, object, number]>([
    ['nothing to find', {}, 400],
    ['a text and an expression', { text: 'a', regex: 'abc' }, 400],
    ['two lines', { text: 'a\nb' }, 400],
    ['an expression without plain text', { regex: '\\d+' }, 400],
    ['alternatives', { regex: 'error|failed' }, 400],
    ['an expression that cannot be parsed', { regex: 'abc(' }, 400],
    ['such an expression with many unicode properties', { regex: `abc${'\\p{L}'.repeat(12)}(` }, 400],
    ['terminals and a selector', { text: 'a', terminals: ['term_1'], selector: 'a=b' }, 400],
    ['an unknown webhook', { text: 'a', actions: [{ type: 'webhook', webhookId: 'wh_0' }] }, 404],
    [
      'an unknown terminal',
      { text: 'a', actions: [{ type: 'input', terminalId: 'term_0', text: 'x' }] },
      404,
    ],
    [
      'an input of two lines',
      { text: 'a', actions: [{ type: 'input', terminalId: 'term_0', text: 'x\ny' }] },
      400,
    ],
  ])('is refused with %s', async (_what, body, status) => {
    const answer = await used.api.post<Failure>('/api/watches', body);
    expect([answer.status, answer.body]).toEqual([status, failed()]);
    expect((await used.api.get('/api/watches')).body).toEqual({ watches: [] });
  });
});
