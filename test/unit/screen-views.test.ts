import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SCREEN_TICK_MS } from '../../src/contract/limits.js';
import { ScreenViews } from '../../src/gateway/ws/screen-views.js';
import type { StreamClient } from '../../src/gateway/ws/stream-client.js';
import type { RowsAnswer, RowsQuery } from '../../src/workers/shard/screen-rows-api.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Screens whose frames a test makes; `asked` are the calls that wait for an answer. */
function rig() {
  const asked: Array<{
    queries: readonly RowsQuery[];
    answer: (answer: Partial<RowsAnswer>) => Promise<void>;
    fail: () => Promise<void>;
  }> = [];
  const faults: string[] = [];
  const source = {
    rows: async (queries: readonly RowsQuery[]) => {
      const answer = new Promise<RowsAnswer>((resolve, reject) => {
        asked.push({
          queries,
          answer: async (given) => {
            resolve({ frames: [], missing: [], ...given });
            await vi.advanceTimersByTimeAsync(0);
          },
          fail: async () => {
            reject(new Error('the shard is gone'));
            await vi.advanceTimersByTimeAsync(0);
          },
        });
      });
      return { calls: [{ queries: [...queries], answer }], missing: [] };
    },
  };
  const screens = new ScreenViews(source, ({ message }) => faults.push(message));
  const connect = () => {
    const sent: unknown[] = [];
    const queue = { queued: 0, push: (message: string) => void sent.push(JSON.parse(message).event.data) };
    return { client: { queue, sees: () => true } as unknown as StreamClient, queue, sent };
  };
  const tick = (ticks = 1) => vi.advanceTimersByTimeAsync(ticks * SCREEN_TICK_MS);
  return { screens, connect, asked, faults, tick };
}

const view = (terminalId: string, { fps = 10, priority = 0 } = {}) => ({ terminalId, fps, priority });
const frame = (id: string, since: number | null, n: number) => ({
  id,
  since,
  n,
  json: JSON.stringify({ n }),
});

test('asks for what has changed since the last frame, one question at a time', async () => {
  const { screens, connect, asked, tick } = rig();
  const { client, sent } = connect();
  screens.watch(client, [view('a')]);
  await tick();
  expect(asked[0]!.queries).toEqual([{ id: 'a', since: null }]);
  await tick(10);
  expect(asked).toHaveLength(1);
  await asked[0]!.answer({ frames: [frame('a', null, 7)] });
  expect(sent).toEqual([{ n: 7 }]);
  await tick(2);
  expect(asked[1]!.queries).toEqual([{ id: 'a', since: 7 }]);
  await asked[1]!.answer({});
  await tick(2);
  expect(asked[2]!.queries).toEqual([{ id: 'a', since: 7 }]);
});

test('a screen that a client has just come to does not wait for the next tick', async () => {
  const { screens, connect, asked, tick } = rig();
  const { client } = connect();
  screens.watch(client, [view('a')]);
  await tick(0.2);
  expect(asked[0]!.queries).toEqual([{ id: 'a', since: null }]);
  // A client that keeps changing its screens costs at most one look each ten milliseconds.
  for (const id of ['b', 'c', 'd']) {
    screens.watch(client, [view(id)]);
    await tick(0.04);
  }
  expect(asked).toHaveLength(1);
  await tick(0.2);
  expect(asked.slice(1).map(({ queries }) => queries.map(({ id }) => id))).toEqual([['d']]);
});

test('a client with much to take is not sent a frame, and loses none', async () => {
  const { screens, connect, asked, tick } = rig();
  const { client, queue, sent } = connect();
  screens.watch(client, [view('a')]);
  await tick();
  queue.queued = 1e6;
  await asked[0]!.answer({ frames: [frame('a', null, 7)] });
  await tick(10);
  expect([sent, asked.length]).toEqual([[], 1]);
  queue.queued = 0;
  await tick();
  expect(asked[1]!.queries).toEqual([{ id: 'a', since: null }]);
});

test('clients with the same frame share a question, and each has its own rate', async () => {
  const { screens, connect, asked, tick } = rig();
  const [fast, slow] = [connect(), connect()];
  screens.watch(fast.client, [view('a')]);
  screens.watch(slow.client, [view('a', { fps: 1 })]);
  await tick();
  expect(asked[0]!.queries).toHaveLength(1);
  await asked[0]!.answer({ frames: [frame('a', null, 1)] });
  expect([fast.sent, slow.sent]).toEqual([[{ n: 1 }], [{ n: 1 }]]);
  for (let n = 2; n < 10; n++) {
    await tick(2);
    await asked.at(-1)!.answer({ frames: [frame('a', n - 1, n)] });
  }
  expect([fast.sent.length, slow.sent.length]).toEqual([9, 1]);
});

test('a first screen that is not ready, or finds no room, comes soon, however seldom its client wants it', async () => {
  const { screens, connect, asked, tick } = rig();
  const { client, queue, sent } = connect();
  screens.watch(client, [view('a', { fps: 1 })]);
  await tick();
  await asked[0]!.answer({});
  await tick(2);
  queue.queued = 1024 * 1024;
  await asked[1]!.answer({ frames: [frame('a', null, 1)] });
  await tick(2);
  expect([sent, asked.length]).toEqual([[], 2]);
  queue.queued = 0;
  await tick(2);
  expect(asked[2]!.queries).toEqual([{ id: 'a', since: null }]);
});

test('the highest priority comes first, and among equals the one that has waited longest', async () => {
  const { screens, connect, asked, tick } = rig();
  const many = Array.from({ length: 290 }, (_, index) => view(`t${index}`));
  const { client } = connect();
  screens.watch(client, [...many, view('needed', { priority: 3 })]);
  await tick();
  expect(asked[0]!.queries).toHaveLength(150);
  expect(asked[0]!.queries[0]).toMatchObject({ id: 'needed' });
  await tick();
  const both = [...asked[0]!.queries, ...asked[1]!.queries].map(({ id }) => id);
  expect(new Set(both).size).toBe(291);
});

test('a frame of a view that was replaced, begun anew or left is not sent', async () => {
  const { screens, connect, asked, tick } = rig();
  const { client, sent } = connect();
  screens.watch(client, [view('a'), view('b'), view('c')]);
  await tick();
  expect(screens.resync(client, 'a')).toBe(true);
  screens.watch(client, [view('a'), view('b')]);
  await asked[0]!.answer({ frames: ['a', 'b', 'c'].map((id) => frame(id, null, 1)) });
  expect(sent).toEqual([{ n: 1 }]);
  await tick(2);
  expect(asked.slice(1).flatMap(({ queries }) => queries)).toEqual(
    expect.arrayContaining([
      { id: 'a', since: null },
      { id: 'b', since: 1 },
    ]),
  );
  screens.remove(client);
  expect(screens.resync(client, 'a')).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

test('a shard that dies costs a question, a terminal that is gone its view', async () => {
  const { screens, connect, asked, faults, tick } = rig();
  const { client } = connect();
  screens.watch(client, [view('a'), view('b')]);
  await tick();
  await asked[0]!.fail();
  expect(faults).toEqual(['the shard is gone']);
  await tick(2);
  expect(asked[1]!.queries).toHaveLength(2);
  await asked[1]!.answer({ missing: ['a'] });
  await tick(2);
  expect(asked[2]!.queries).toEqual([{ id: 'b', since: null }]);
});
