import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLAUDE, drawnAgent } from '../support/drawn-agents.js';
import { failed } from '../support/failed.js';
import { type FakeAgents, fakeAgents } from '../support/fake-agents.js';
import type { Failure } from '../support/http.js';
import { useSharedService } from '../support/use-service.js';
import { ENDLESS_WAITS } from '../support/wait-kinds.js';
import { WaitClient } from '../support/waits.js';

const used = useSharedService();
const waits = new WaitClient(() => used.api);
let agents: FakeAgents;
beforeAll(async () => {
  agents = await fakeAgents();
});
afterAll(() => agents?.remove());

/** Longer than any answer takes. */
const timeoutMs = 30_000;
const TIMEOUT = { done: false, reason: 'timeout' };
const NOT_FOUND = { status: 404, body: failed('Terminal not found') };

/** A terminal that ends with exit code 7 when Enter is typed. */
async function ending(): Promise<string> {
  const id = await waits.open(['sh', '-c', 'stty -echo; echo ready; read x; echo last words; exit 7']);
  await waits.shown(id, 'ready');
  return id;
}

const close = (id: string) => used.api.delete(`/api/terminals/${id}`);

describe('POST /api/terminals/:id/wait, until exit', () => {
  test('resolves with the exit code, and the last output', async () => {
    const id = await ending();
    const wait = await waits.begin(id, { until: 'exit', timeoutMs });
    await waits.type(id, '\r');
    const exit = { done: true, reason: 'exit', exitCode: 7 };
    expect((await wait.answer).body).toMatchObject({ ...exit, raw: 'last words' });
    // The wait ends at once if the program has already exited.
    expect(await waits.wait(id, { until: 'exit', timeoutMs: 0 })).toMatchObject({ ...exit, raw: '' });
  });

  test('while it runs: a timeout at the given time', async () => {
    const id = await ending();
    expect(await waits.wait(id, { until: 'exit', timeoutMs: 0 })).toMatchObject(TIMEOUT);
    const begin = performance.now();
    expect(await waits.wait(id, { until: 'exit', timeoutMs: 300 })).toMatchObject(TIMEOUT);
    expect(performance.now() - begin).toBeGreaterThanOrEqual(300);
  });

  test('of a program that a signal has ended', async () => {
    const id = await waits.open(['sh', '-c', 'echo ready; kill -9 $$']);
    expect(await waits.wait(id, { until: 'exit', timeoutMs })).toMatchObject({ done: true, reason: 'exit' });
  });
});

describe('POST /api/terminals/:id/wait, until idle', () => {
  test('resolves once no output has come for idleMs, counted from the last output', async () => {
    const id = await waits.printing();
    const idle = { done: true, reason: 'idle' };
    expect(await waits.wait(id, { until: 'idle', idleMs: 200, timeoutMs })).toMatchObject(idle);
    expect(await waits.wait(id, { until: 'idle', idleMs: 200, timeoutMs: 0 })).toMatchObject(idle);
    expect(await waits.wait(id, { until: 'idle', idleMs: 3_000_000, timeoutMs: 0 })).toMatchObject(TIMEOUT);
    const begin = performance.now();
    await waits.type(id, 'again\\n\r');
    await waits.shown(id, 'again');
    expect(await waits.wait(id, { until: 'idle', idleMs: 1_000, timeoutMs })).toMatchObject(idle);
    expect(performance.now() - begin).toBeGreaterThanOrEqual(1_000);
  });

  test('not while a program prints more often', async () => {
    const id = await waits.open(['sh', '-c', 'while :; do echo x; sleep 0.02; done']);
    await waits.shown(id, 'x');
    const answer = await waits.wait(id, { until: 'idle', idleMs: 10_000, timeoutMs: 300 });
    expect(answer).toMatchObject(TIMEOUT);
    // The output is empty if the machine is so busy that the program does not run meanwhile.
    expect(answer.raw).toMatch(/^(x(\nx)*)?$/);
  });
});

describe('POST /api/terminals/:id/wait, until agent', () => {
  test('a status, any change, and the present state', async () => {
    const path = await agents.script('bin/claude', drawnAgent(CLAUDE));
    const id = await waits.open([path]);
    await waits.shown(id, '? for shortcuts');
    const now = await waits.wait(id, { until: 'agent', agentStatus: 'working', timeoutMs: 0 });
    expect(now).toMatchObject({ ...TIMEOUT, agentStatus: 'idle' });
    const waiting = await waits.begin(id, { until: 'agent', agentStatus: 'waiting', timeoutMs });
    const change = await waits.begin(id, { until: 'agent', timeoutMs });
    // Once this wait has seen the idle agent, so has the wait for a change.
    await waits.wait(id, { until: 'agent', agentStatus: 'idle', timeoutMs });
    expect(change.isSettled()).toBe(false);
    await waits.type(id, 'w');
    expect((await change.answer).body).toMatchObject({ done: true, reason: 'agent', agentStatus: 'working' });
    expect(waiting.isSettled()).toBe(false);
    await waits.type(id, 'p');
    const asks = { done: true, reason: 'agent', agentStatus: 'waiting' };
    expect((await waiting.answer).body).toMatchObject(asks);
    const still = await waits.wait(id, { until: 'agent', agentStatus: 'waiting', timeoutMs: 0 });
    expect(still).toMatchObject(asks);
  });

  test('a terminal without an agent', async () => {
    const id = await waits.printing();
    const answer = await waits.wait(id, { until: 'agent', timeoutMs: 0 });
    expect(answer).toMatchObject({ ...TIMEOUT, agentStatus: null });
  });
});

describe('POST /api/terminals/:id/wait for an event that can no longer come', () => {
  test.each(ENDLESS_WAITS)('a program that exits ends it: %j', async (body) => {
    const id = await ending();
    const exit = { done: body.until === 'exit', reason: 'exit', exitCode: 7 };
    const wait = await waits.begin(id, { ...body, timeoutMs });
    await waits.type(id, '\r');
    expect((await wait.answer).body).toMatchObject({ ...exit, raw: 'last words' });
    expect(await waits.wait(id, { ...body, timeoutMs })).toMatchObject(exit);
    expect(await waits.wait(id, { ...body, timeoutMs: 0 })).toMatchObject(exit);
  });

  test('but text printed before the exit is found', async () => {
    const id = await ending();
    const since = await waits.cursor(id);
    const texts = [{ text: 'last words' }, { regex: 'last \\w+' }];
    const during = await Promise.all(
      texts.map((text) => waits.begin(id, { until: 'text', ...text, timeoutMs })),
    );
    await waits.type(id, '\r');
    const answers = await Promise.all(during.map(async ({ answer }) => (await answer).body));
    for (const text of texts) {
      for (const more of [{}, { since }]) {
        answers.push(await waits.wait(id, { until: 'text', ...text, ...more, timeoutMs }));
      }
    }
    for (const answer of answers)
      expect(answer).toMatchObject({ done: true, reason: 'text', match: 'last words' });
  });

  test.each(ENDLESS_WAITS)(
    'a closed terminal is not found, unless the wait is for its end: %j',
    async (body) => {
      const id = await waits.printing();
      const wait = await waits.begin(id, { ...body, timeoutMs });
      await close(id);
      const { status, body: answer } = await wait.answer;
      if (body.until === 'exit') expect(answer).toMatchObject({ done: true, reason: 'exit' });
      else expect({ status, body: answer }).toEqual(NOT_FOUND);
      expect(await waits.send<Failure>(id, { ...body, timeoutMs })).toMatchObject(NOT_FOUND);
    },
  );
});

describe('POST /api/terminals/:id/wait with an invalid request', () => {
  test.each(ENDLESS_WAITS)('an unknown terminal: 404; an invalid cursor: 400: %j', async (body) => {
    expect(await waits.send<Failure>('term_none', { ...body, timeoutMs })).toMatchObject(NOT_FOUND);
    const id = await waits.printing();
    for (const since of ['', 'x', 'zzzzzz-0-0-0', '0-0-0-2', '-1-0-0-0']) {
      const { status, body: failure } = await waits.send<Failure>(id, { ...body, since, timeoutMs });
      expect({ since, status, failure }).toEqual({
        since,
        status: 400,
        failure: failed('Invalid cursor'),
      });
    }
  });

  const text = { until: 'text', text: 'x' };
  test.each<[string, unknown]>([
    ['until', {}],
    ['until', { until: 'forever' }],
    ['text', { until: 'text' }],
    ['text', { ...text, regex: 'y' }],
    ['text', { until: 'text', text: '' }],
    ['text', { until: 'text', text: 'x'.repeat(1_001) }],
    ['regex', { until: 'text', regex: '' }],
    ['regex', { until: 'text', regex: 'x'.repeat(1_001) }],
    ['timeoutMs', { ...text, timeoutMs: -1 }],
    ['timeoutMs', { ...text, timeoutMs: 1.5 }],
    ['timeoutMs', { ...text, timeoutMs: 3_600_001 }],
    ['timeoutMs', { ...text, timeoutMs: '100' }],
    ['idleMs', { until: 'idle', idleMs: 0 }],
    ['idleMs', { until: 'idle', idleMs: 3_600_001 }],
    ['agentStatus', { until: 'agent', agentStatus: 'bored' }],
    ['maxBytes', { ...text, maxBytes: -1 }],
    ['maxBytes', { ...text, maxBytes: 2 ** 20 + 1 }],
    ['since', { ...text, since: 5 }],
  ])('%s is named: %j', async (named, body) => {
    const id = await waits.printing();
    const { status, body: failure } = await waits.send<Failure>(id, body as object);
    expect([status, failure.error]).toEqual([400, expect.stringContaining(named)]);
  });
});
