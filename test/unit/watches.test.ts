import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EngineEvent } from '#dist/actors/events.js';
import type { KeptWatch } from '#dist/actors/watches/kept-watch.js';
import type { WatchInputsOptions } from '#dist/actors/watches/watch-inputs.js';
import { Watches } from '#dist/actors/watches/watches.js';
import { WATCH_INPUT_LOOK_MS } from '#dist/contract/limits.js';
import { WatchBody } from '#dist/contract/watch.js';
import { memoryCollection } from '../support/open-access.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const TERMINAL = 'term_1';

/** Watches of one running terminal, whose input actions find it busy. */
class WatchesRig {
  readonly told: string[] = [];
  readonly watches = new Watches({
    collection: memoryCollection<KeptWatch>(),
    log: {
      append: ({ type, data }) => {
        const { count, reason } = data as { count?: number; reason?: string };
        this.told.push(`${type} ${count ?? reason}`);
      },
    },
    patterns: { match: async () => ({ kind: 'found', match: 'x' }) },
    now: () => performance.now(),
    logger: { error: expect.unreachable, debug: () => {} },
  });
  #onEvent: (event: EngineEvent) => void = () => {};

  constructor(inputs: Partial<WatchInputsOptions> = {}) {
    const shards = Promise.resolve({ searchLines: async () => {} });
    this.watches.start({
      terminals: {
        subscribe: (listener: (event: EngineEvent) => void) => {
          this.#onEvent = listener;
          return () => {};
        },
        shards,
        list: () => [],
        startOf: () => {},
      } as never,
      isThere: () => true,
      labelsOf: () => ({}),
      inputs: {
        readiness: async () => ({ reason: 'busy' }),
        hasDraft: () => false,
        type: expect.unreachable,
        ...inputs,
      },
      refuseUnknownWebhook: () => {},
    });
  }

  async add(body: object): Promise<string> {
    return (await this.watches.create(WatchBody.parse({ text: 'needle', ...body }))).id;
  }

  /** Reports one line with the text of a watch. */
  print(search: string, id = TERMINAL): void {
    this.#onEvent({
      type: 'found',
      id,
      matched: [{ search, count: 1, text: 'needle' }],
      whole: [],
      leftOut: [],
    });
  }
}

describe('a watch with gathered matches', () => {
  const gathering = async (rig: WatchesRig, body: object = {}) => {
    const id = await rig.add({ debounceMs: 60_000, expiresInMs: 10_000, ...body });
    for (const terminal of [TERMINAL, TERMINAL, 'term_2', TERMINAL, 'term_2']) rig.print(id, terminal);
    expect(rig.told.splice(0)).toEqual(['watch.matched 1', 'watch.matched 1']);
    return id;
  };

  it('tells them when it expires, before its end', async () => {
    const rig = new WatchesRig();
    const id = await gathering(rig);
    vi.advanceTimersByTime(10_001);
    expect(rig.told).toEqual(['watch.matched 2', 'watch.matched 1', 'watch.ended expired']);
    expect(rig.watches.get(id)).toMatchObject({ matches: 5, events: 4, ended: 'expired' });
    rig.print(id);
    vi.advanceTimersByTime(120_000);
    expect(rig.told).toHaveLength(3);
  });

  it('types nothing for them once it has expired', async () => {
    const rig = new WatchesRig();
    const id = await gathering(rig, { actions: [{ type: 'input', terminalId: TERMINAL, text: 'go' }] });
    expect(rig.watches.get(id).waitingInput).toMatchObject([{ count: 2 }]);
    vi.advanceTimersByTime(10_001);
    expect(rig.told).toEqual(['watch.matched 2', 'watch.matched 1', 'watch.ended expired']);
    expect(rig.watches.get(id).waitingInput).toEqual([]);
  });

  it('tells them at a clean stop', async () => {
    const rig = new WatchesRig();
    await gathering(rig);
    await rig.watches.stop();
    expect(rig.told).toEqual(['watch.matched 2', 'watch.matched 1']);
  });

  it('tells nothing more once it is deleted', async () => {
    const rig = new WatchesRig();
    await rig.watches.remove(await gathering(rig));
    vi.advanceTimersByTime(120_000);
    expect(rig.told).toEqual([]);
  });
});

it('a watch that ends with its first event has one, whatever else matched', async () => {
  const rig = new WatchesRig();
  const id = await rig.add({ once: true, debounceMs: 60_000 });
  for (const terminal of [TERMINAL, TERMINAL, 'term_2']) rig.print(id, terminal);
  expect(rig.told).toEqual(['watch.matched 1', 'watch.ended once']);
});

it('a terminal that cannot be looked at delays no line for another', async () => {
  const typed: string[] = [];
  const rig = new WatchesRig({
    readiness: (id) => (id === TERMINAL ? new Promise(() => {}) : Promise.resolve({ ready: 'shell' })),
    type: async (id, text) => typed.push(`${id} ${text}`) > 0,
  });
  const actions = [TERMINAL, 'term_2'].map((terminalId) => ({ type: 'input', terminalId, text: '{count}' }));
  const id = await rig.add({ debounceMs: 0, maxPerMinute: 600, actions });
  rig.print(id);
  await vi.waitFor(() => expect(typed).toEqual(['term_2 1']));
  rig.print(id, 'term_3');
  await vi.advanceTimersByTimeAsync(2 * WATCH_INPUT_LOOK_MS);
  expect(typed).toEqual(['term_2 1', 'term_2 1']);
});
