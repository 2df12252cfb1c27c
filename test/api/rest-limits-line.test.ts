import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BatchCreateAnswer } from '#dist/contract/batch-create.js';
import { createApi } from '../support/http.js';
import { Limited } from '../support/limits.js';
import { eventually } from '../support/processes.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/sh' } });
let limited: Limited;

beforeEach(() => {
  limited = new Limited(used.api);
});
afterEach(async () => {
  await limited.set({});
  await limited.closeAll();
});

describe('a batch', () => {
  const terminals = Array.from({ length: 40 }, (_, index) => ({
    ...{ command: ['cat'], name: `n ${index}`, queueMs: 60_000 },
    ...(index === 20 && { priority: 1 }),
  }));
  const names = terminals.map(({ name }) => name);

  test('waits in line in its order, and leaves it with its client', async () => {
    await limited.set({ maxTerminals: 0 });
    const controller = new AbortController();
    const sent = fetch(`${used.service.url}/api/terminals/batch/create`, {
      ...{ method: 'POST', body: JSON.stringify({ terminals }), signal: controller.signal },
      headers: { 'content-type': 'application/json' },
    });
    sent.catch(() => undefined);
    const line = await limited.waiting(40);
    expect(line.map(({ name }) => name)).toEqual(['n 20', ...names.filter((name) => name !== 'n 20')]);
    controller.abort();
    await limited.waiting(0);
    expect(used.service.log()).not.toMatch(/MaxListeners|Unhandled/);
  });

  test('creates as many as there is room for, and says of each other why it was not created', async () => {
    await limited.set({ maxTerminals: 2 });
    const body = { terminals: terminals.slice(0, 4).map((each) => ({ ...each, queueMs: 100 })) };
    const { results, summary } = (await used.api.post<BatchCreateAnswer>('/api/terminals/batch/create', body))
      .body;
    expect(results.map(({ success, code, position }) => [success, code, position])).toEqual([
      [true, undefined, undefined],
      [true, undefined, undefined],
      [false, 'over-limit', 1],
      [false, 'over-limit', expect.any(Number)],
    ]);
    expect(summary).toEqual({ total: 4, succeeded: 2, failed: 2 });
  });
});

describe('a client that leaves', () => {
  const replays = async () => {
    const { body } = await used.api.get<string>('/metrics');
    return Number(/^auto_terminal_idempotent_replays_total (\d+)$/m.exec(body)?.[1]);
  };
  const leave = (headers: Record<string, string>) => {
    const controller = new AbortController();
    const body = JSON.stringify({ command: ['cat'], queueMs: 60_000 });
    const sent = fetch(`${used.service.url}/api/terminals`, {
      ...{ method: 'POST', body, signal: controller.signal },
      headers: { 'content-type': 'application/json', ...headers },
    });
    sent.catch(() => undefined);
    return { controller, sent };
  };

  test.each([{}, { 'idempotency-key': 'left' }])(
    'leaves the line, and gets no terminal: %j',
    async (headers) => {
      await limited.set({ maxTerminals: 0 });
      const { controller } = leave(headers as Record<string, string>);
      await limited.waiting(1);
      controller.abort();
      await limited.waiting(0);
      await limited.set({});
      expect(await limited.running()).toEqual([]);
    },
  );

  test('stays in line while a repetition of its request waits', async () => {
    await limited.set({ maxTerminals: 0 });
    const { controller } = leave({ 'idempotency-key': 'repeated' });
    await limited.waiting(1);
    const keyed = createApi(used.service.url, { headers: { 'idempotency-key': 'repeated' } });
    const before = await replays();
    const repeated = keyed.post<{ id: string }>('/api/terminals', { command: ['cat'], queueMs: 60_000 });
    await eventually('the repetition has come', async () => (await replays()) === before + 1);
    controller.abort();
    await limited.set({ maxTerminals: 1 });
    const { status, body } = await repeated;
    expect(status).toBe(200);
    expect((await limited.running()).map(({ id }) => id)).toEqual([body.id]);
  });
});
