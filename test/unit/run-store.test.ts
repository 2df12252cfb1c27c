import { describe, expect, it } from 'vitest';
import type { KeptPart, KeptRun, RunRecord } from '#dist/actors/runs/kept-run.js';
import { RunStore } from '#dist/actors/runs/run-store.js';
import { MAX_RUNS, RUN_KEPT_MS } from '#dist/contract/limits.js';
import { hrMs } from '#dist/workers/clock.js';
import { MemoryShelf } from '../support/shelf.js';

const RUNNING = true;
const ENDED = false;

function run(runId: string, more: Partial<KeptRun> = {}): KeptRun {
  const begunAt = hrMs();
  return {
    ...{ runId, state: 'running', createdAt: 0, begunAt, endsAt: begunAt + 1_000, command: 'true' },
    ...{ origin: 'api', idleMs: 500, maxBytes: 10, terminalIds: ['a', 'b'], closes: false, bytes: 0 },
    ...more,
  };
}

function part(terminalId: string): KeptPart {
  const result = { terminalId, success: true, done: true, exitCode: 0, durationMs: 1, raw: '' };
  return {
    result: { ...result, truncated: false, integration: 'bash', waitedBy: 'integration' },
    fault: null,
    screen: null,
  };
}

function create() {
  const shelf = new MemoryShelf<RunRecord>();
  const errors: unknown[] = [];
  const open = () => new RunStore(shelf, { error: (error: unknown) => void errors.push(error) });
  return { shelf, errors, open, store: open() };
}

const committed = async () => {
  for (let turns = 0; turns < 4; turns++) await new Promise((resolve) => setImmediate(resolve));
};

describe('RunStore', () => {
  it('returns a run and its results after a restart, and the list of unfinished runs', async () => {
    const { store, open } = create();
    await store.put(run('run_1'), RUNNING);
    await store.putPart('run_1', 1, part('b'));
    await store.put(run('run_2'), RUNNING);
    for (const [place, id] of ['a', 'b'].entries()) await store.putPart('run_2', place, part(id));
    await store.put(run('run_2', { state: 'finished' }), ENDED);
    const next = open();
    expect(next.ids()).toEqual(['run_2', 'run_1']);
    expect(next.get('run_2')).toMatchObject({ runId: 'run_2', state: 'finished' });
    expect([...next.parts('run_1')].map(([place, { result }]) => [place, result.terminalId])).toEqual([
      [1, 'b'],
    ]);
    expect(next.unfinished().map(({ runId }) => runId)).toEqual(['run_1']);
  });

  it('has a run in progress before the disk has it, and without the disk', async () => {
    const { store, shelf } = create();
    const written = store.put(run('run_1', { idleMs: 7 }), RUNNING);
    expect(store.get('run_1')).toMatchObject({ idleMs: 7 });
    await written;
    shelf.isFull = true;
    expect(await store.put(run('run_2'), RUNNING)).toBe(false);
    expect(store.get('run_2')).toMatchObject({ runId: 'run_2' });
    expect(await store.put(run('run_2', { state: 'finished' }), ENDED)).toBe(false);
    expect(store.get('run_2')).toBeUndefined();
  });

  it('drops runs that are too old or too many, with their results, and none in progress', async () => {
    const { store, shelf } = create();
    await store.putPart('run_old', 0, part('a'));
    await store.put(run('run_old', { begunAt: hrMs() - RUN_KEPT_MS - 1 }), ENDED);
    await store.put(run('run_long', { begunAt: hrMs() - RUN_KEPT_MS - 1 }), RUNNING);
    expect(store.ids()).toEqual(['run_long']);
    await committed();
    expect(shelf.ids('')).toEqual(['run/run_long']);
    for (let count = 0; count <= MAX_RUNS; count++) void store.put(run(`run_${count}`), ENDED);
    await committed();
    expect(store.ids()).toHaveLength(MAX_RUNS);
    expect(store.ids().at(-1)).toBe('run_long');
  });

  it('reports a write that the disk refused, once for all that fail in a row', async () => {
    const { store, shelf, errors } = create();
    shelf.isFull = true;
    expect(await store.put(run('run_1'), RUNNING)).toBe(false);
    expect(await store.putPart('run_1', 0, part('a'))).toBe(false);
    expect([store.ids(), errors.length]).toEqual([[], 1]);
    await store.close();
    expect(await store.put(run('run_1'), RUNNING)).toBe(false);
  });
});
