import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BatchCreateAnswer } from '#dist/contract/batch-create.js';
import { Limited, type Refused } from '../support/limits.js';
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

describe('GET /api/limits', () => {
  test('says that nothing is limited, and what the machine reports', async () => {
    const { id } = (await limited.create()).body;
    expect(await limited.now()).toEqual({
      terminals: { running: 1, starting: 0, max: null },
      perLabel: [],
      memory: {
        ...{ availableBytes: expect.any(Number), minAvailable: null },
        ...{ pressure: expect.toSatisfy((it) => it === null || typeof it === 'number'), maxPressure: null },
      },
      unknown: [],
      queue: { length: 0, max: 1_000, waiting: [] },
      refused: expect.any(Number),
    });
    await used.api.delete(`/api/terminals/${id}`);
  });
});

describe('a limit of terminals', () => {
  test('is met by every way to create one', async () => {
    await limited.set({ maxTerminals: 0 });
    const over = {
      code: 'over-limit',
      limit: 'maxTerminals',
      value: 0,
      max: 0,
      position: 1,
      retryAfterMs: 5_000,
    };
    const { status, headers, body } = await limited.create();
    expect([status, headers['retry-after']]).toEqual([429, '5']);
    expect(body).toMatchObject({
      ...over,
      error: 'No terminal was created: 0 of at most 0 terminals run or start (limits.maxTerminals)',
    });
    const batch = await used.api.post<BatchCreateAnswer>('/api/terminals/batch/create', {
      terminals: [{}, {}],
    });
    expect(batch.body).toMatchObject({
      results: [
        { success: false, ...over },
        { success: false, ...over },
      ],
      summary: { failed: 2 },
    });
    const fleet = await used.api.post<Refused>('/api/fleet/execute', { command: 'true' });
    expect([fleet.status, fleet.body]).toMatchObject([429, over]);
    expect(await limited.running()).toEqual([]);
  });

  test('counts what runs, not what has exited and is kept', async () => {
    await limited.set({ maxTerminals: 1 });
    const { id } = (await limited.create({ command: ['sh', '-c', 'read line'] })).body;
    expect((await limited.create()).status).toBe(429);
    const next = limited.create({ queueMs: 60_000 });
    await limited.waiting(1);
    await used.api.post(`/api/terminals/${id}/input`, { data: '\r' });
    expect((await next).status).toBe(200);
    expect((await used.api.get(`/api/terminals/${id}`)).body).toMatchObject({ status: 'exited' });
    expect(await limited.now()).toMatchObject({ terminals: { running: 1, starting: 0, max: 1 } });
  });

  test('gives the place of what could not be started to the next', async () => {
    await limited.set({ maxTerminals: 1 });
    for (const _ of [1, 2])
      expect((await limited.create({ command: ['/nowhere'] })).body.code).toBe('spawn-failed');
    expect((await limited.create()).status).toBe(200);
  });

  test('that is raised admits those who wait, the highest priority first', async () => {
    await limited.set({ maxTerminals: 0 });
    const order: string[] = [];
    const answers: Promise<number>[] = [];
    for (const [name, priority] of Object.entries({ low: -5, high: 7, first: 0, second: 0 })) {
      const answer = limited.create({ name, priority, queueMs: 60_000 });
      answers.push(answer.then(({ body }) => order.push(body.name)));
      await limited.waiting(answers.length);
    }
    const line = await limited.waiting(4);
    expect(line.map(({ name, position }) => [name, position])).toEqual([
      ['high', 1],
      ['first', 2],
      ['second', 3],
      ['low', 4],
    ]);
    for (let max = 1; max <= 4; max++) {
      await limited.set({ maxTerminals: max });
      await eventually(`${max} are there`, async () => order.length === max);
    }
    await Promise.all(answers);
    expect(order).toEqual(['high', 'first', 'second', 'low']);
  });

  test('refuses what has waited in vain, with the place that it had', async () => {
    await limited.set({ maxTerminals: 0 });
    const before = limited.create({ queueMs: 60_000 });
    await limited.waiting(1);
    const { status, body } = await limited.create({ queueMs: 300 });
    expect([status, body]).toMatchObject([429, { limit: 'maxTerminals', position: 2 }]);
    await limited.set({});
    expect((await before).status).toBe(200);
  });

  test('what is wrong with a request is said at once', async () => {
    await limited.set({ maxTerminals: 0 });
    const queueMs = 60_000;
    expect((await limited.create({ queueMs, paneId: 'pn-none' })).body.code).toBe('pane-not-found');
    expect((await limited.create({ queueMs, parentTerminalId: 'none' })).body.code).toBe(
      'terminal-not-found',
    );
    expect((await limited.create({ queueMs: 3_600_001 })).status).toBe(400);
    expect((await limited.create({ queueMs, priority: 0.5 })).status).toBe(400);
  });
});

describe('a limit of a label', () => {
  test('holds its own terminals in order, and lets others pass', async () => {
    await limited.set({ perLabel: [{ selector: 'role=build', max: 1 }] });
    const build = { labels: { role: 'build', of: 'test' }, queueMs: 60_000 };
    const { id } = (await limited.create(build)).body;
    const waits = limited.create({ ...build, name: 'waits' });
    await limited.waiting(1);
    expect((await limited.create({ labels: { role: 'test' } })).status).toBe(200);
    expect(await limited.now()).toMatchObject({
      perLabel: [{ selector: 'role=build', terminals: 1, max: 1 }],
      queue: {
        waiting: [
          {
            ...{ position: 1, name: 'waits', labels: build.labels, mode: 'api', priority: 0 },
            caller: { terminalId: null, verified: false, via: 'none' },
            obstacle: { limit: 'perLabel', selector: 'role=build', value: 1, max: 1 },
          },
        ],
      },
    });
    // Removing a label makes room, too.
    await used.api.patch(`/api/terminals/${id}`, { labels: { role: null } });
    expect((await waits).body).toMatchObject({ name: 'waits', status: 'running' });
  });

  test.each([
    [{ perLabel: [{ selector: 'role', max: 1 }] }, 'perLabel'],
    [{ perLabel: [{ selector: 'role=a', max: -1 }] }, 'max'],
    [{ perLabel: [{ selector: 'role=a', max: 1, min: 2 }] }, 'min'],
    [{ maxTerminals: 1.5 }, 'maxTerminals'],
    [{ maxMemoryPressure: 101 }, 'maxMemoryPressure'],
    [{ minAvailableMemory: '1GB' }, 'minAvailableMemory'],
    [{ maxTerminal: 5 }, 'maxTerminal'],
  ])('a setting that is wrong changes nothing: %j', async (limits, named) => {
    const { status, body } = await used.api.patch<Refused>('/api/settings', { limits });
    expect([status, body.error]).toEqual([400, expect.stringContaining(named)]);
    expect(await limited.now()).toMatchObject({ terminals: { max: null }, perLabel: [] });
  });
});
