import { describe, expect, it } from 'vitest';
import type { KeptAnswer, OperationRecord } from '#dist/actors/operations/kept-operation.js';
import type { Operation } from '#dist/actors/operations/operation.js';
import type { OperationsOptions } from '#dist/actors/operations/operations.js';
import { newOperations } from '../support/operations.js';
import { MemoryShelf } from '../support/shelf.js';

const answer = (body: string, status = 200): KeptAnswer => ({ status, type: 'application/json', body });

const committed = async () => {
  for (let turns = 0; turns < 4; turns++) await new Promise((resolve) => setImmediate(resolve));
};

/** Operations with a clock that the test sets, and the storage behind them. */
function create(options: Partial<OperationsOptions> = {}) {
  const clock = { now: 5_000 };
  const shelf = new MemoryShelf<OperationRecord>();
  const errors: unknown[] = [];
  const logger = { error: (error: unknown) => void errors.push(error) };
  const restart = () => newOperations({ shelf, now: () => clock.now, logger, ...options });
  const parts = { clock, shelf, errors, operations: restart() };
  /** Starts the work of a request; throws if the request already has an answer. */
  const start = (scope: string, body: unknown = {}): Operation => {
    const entered = parts.operations.enter(scope, body);
    if ('answer' in entered) throw new Error(`${scope} has been answered`);
    return entered.operation;
  };
  const done = async (scope: string, given: KeptAnswer, plan = {}) => {
    const operation = start(scope);
    await operation.begin(() => plan);
    operation.end(given);
    await committed();
    return operation.id;
  };
  /**
   * Resolves with the answer of a repetition. If the work is still to be done, ends it as failed, and resolves with
   * undefined.
   */
  const repeat = async (scope: string) => {
    const entered = parts.operations.enter(scope, {});
    if ('answer' in entered) return (await entered.answer).body;
    entered.operation.end(answer('', 404));
    return undefined;
  };
  return Object.assign(parts, {
    ...{ start, done, repeat },
    restart: () => {
      parts.operations = restart();
    },
  });
}

describe('Operations', () => {
  it('returns the first answer to every repetition, by scope, also after a restart', async () => {
    const kept = create();
    await kept.done('a', answer('one'));
    await kept.done('b', answer('two'));
    for (let times = 0; times < 2; times++) {
      const repeated = ['a', 'a', 'b', 'c'].map((scope) => kept.repeat(scope));
      expect(await Promise.all(repeated)).toEqual(['one', 'one', 'two', undefined]);
      kept.restart();
    }
  });

  it('makes a repetition wait for a first one in work', async () => {
    const kept = create();
    const first = kept.start('a');
    const waiting = [kept.repeat('a'), kept.repeat('a')];
    expect(kept.operations.size).toEqual({ inWork: 1, kept: 0, bytes: 0 });
    first.end(answer('done'));
    // The repetitions also wait until the answer is on disk.
    expect(await Promise.all([...waiting, kept.repeat('a')])).toEqual(['done', 'done', 'done']);
    expect(kept.operations.size).toEqual({ inWork: 0, kept: 1, bytes: 4 });
  });

  it('writes the plan before anything is done; unanswered work is done again by the plan, under its id', async () => {
    const kept = create();
    const first = kept.start('a');
    expect(first.earlier).toBeUndefined();
    expect(await first.begin(() => ({ terminalId: 'term_1' }))).toEqual({ terminalId: 'term_1' });
    kept.restart();
    const again = kept.start('a');
    expect([again.id, await again.begin(() => ({ terminalId: 'term_2' }))]).toEqual([
      first.id,
      { terminalId: 'term_1' },
    ]);
    const waiting = kept.repeat('a');
    again.end(answer('done'));
    expect(await waiting).toBe('done');
  });

  it('keeps no failure that has done nothing, and keeps the operation if that is unknown', async () => {
    const kept = create();
    const first = await kept.done('busy', answer('', 429), { terminalId: 'term_1' });
    expect(kept.operations.size.kept).toBe(0);
    const next = kept.start('busy', { another: 'body' });
    expect([next.id === first, next.earlier]).toEqual([false, undefined]);
    const unknown = await kept.done('unknown', answer('', 503), { terminalId: 'term_1' });
    for (let times = 0; times < 2; times++) {
      const again = kept.start('unknown');
      expect([again.id, again.earlier]).toEqual([unknown, { terminalId: 'term_1' }]);
      kept.restart();
    }
    const open = kept.start('open');
    await open.begin(() => ({}));
    open.leaveOpen();
    open.end(answer('some of it is not known'));
    expect(kept.start('open').id).toBe(open.id);
    kept.start('not begun').end(answer('', 503));
    expect(kept.start('not begun', { another: 'body' }).earlier).toBeUndefined();
  });

  it('keeps an operation whose outcome is unknown when a retry of it is refused', async () => {
    const kept = create();
    const first = await kept.done('a', answer('', 503), { terminalId: 'term_1' });
    for (let times = 0; times < 2; times++) {
      // A restart keeps this, too.
      kept.restart();
      for (const status of [429, 404, 499])
        expect(await kept.done('a', answer('', status), { terminalId: 'term_2' })).toBe(first);
    }
    expect(() => kept.start('a', { another: 'body' })).toThrow('a different body');
    const last = kept.start('a');
    expect([last.id, last.earlier]).toEqual([first, { terminalId: 'term_1' }]);
    last.end(answer('done'));
    expect(await kept.repeat('a')).toBe('done');
  });

  it.each([
    ['was answered', 200],
    ['had begun when the service failed', 503],
    ['had begun when the service was killed', undefined],
  ])('starts no run again that %s, and is no longer kept', async (_what, status) => {
    const runs = new Set<string>();
    const kept = create({ isRunKept: (runId) => runs.has(runId) });
    const operation = kept.start('a');
    await operation.begin(() => ({ runId: 'run_1' }));
    if (status === undefined) {
      // Before its run has begun, the work is still to be done.
      kept.restart();
      expect(kept.start('a').earlier).toEqual({ runId: 'run_1' });
      runs.add('run_1');
    } else {
      runs.add('run_1');
      operation.end(answer('', status));
      await committed();
      expect(kept.start('a').earlier).toEqual({ runId: 'run_1' });
    }
    kept.restart();
    await committed();
    runs.clear();
    for (let times = 0; times < 2; times++) {
      expect(() => kept.start('a')).toThrow('no longer kept');
      kept.restart();
    }
  });

  it('asks anew for the answer of a run, which keeps its results itself', async () => {
    const kept = create();
    const first = await kept.done('a', answer('much'), { runId: 'run_1' });
    for (let times = 0; times < 2; times++) {
      const again = kept.start('a');
      expect([again.id, again.earlier]).toEqual([first, { runId: 'run_1' }]);
      kept.restart();
    }
    expect([...kept.shelf.records.values()].join()).not.toContain('much');
  });

  it('refuses another body under the same key, in work and answered; another order of keys is the same body', async () => {
    const kept = create();
    const reused = expect.objectContaining({
      code: 'key-reused',
      status: 422,
    });
    const body = { env: { B: '2', A: '1' }, list: [{ y: 1, x: [2, 1] }], n: null };
    const turned = { n: null, list: [{ x: [2, 1], y: 1 }], env: { A: '1', B: '2' } };
    const operation = kept.start('a', body);
    const refusesOthers = () => {
      for (const list of [[{ x: [1, 2], y: 1 }], { 0: { x: [2, 1], y: 1 } }])
        expect(() => kept.operations.enter('a', { ...turned, list })).toThrow(reused);
      expect(() => kept.operations.enter('a', undefined)).toThrow(reused);
      expect(kept.operations.enter('a', turned)).toHaveProperty('answer');
    };
    refusesOthers();
    operation.end(answer('one'));
    refusesOthers();
  });

  it('forgets operations after their time, and counts the time across restarts', async () => {
    const kept = create();
    await kept.done('a', answer('one'));
    kept.clock.now += 600;
    await kept.done('b', answer('two'));
    kept.restart();
    kept.clock.now += 401;
    expect([await kept.repeat('a'), await kept.repeat('b')]).toEqual([undefined, 'two']);
    await committed();
    expect(kept.shelf.records.size).toBe(2);
    // The machine has restarted, so its clock begins anew.
    kept.clock.now = 10;
    kept.restart();
    kept.clock.now += 999;
    expect(await kept.repeat('b')).toBe('two');
  });

  it('keeps a bounded number, the oldest dropped first, and bounded bytes, but the newest whatever its size', async () => {
    const many = create({ maxOperations: 3 });
    for (const scope of ['a', 'b', 'c', 'd']) await many.done(scope, answer(scope));
    many.restart();
    for (const scope of ['b', 'c', 'd']) expect(await many.repeat(scope)).toBe(scope);
    expect(many.operations.size.kept).toBe(3);
    const large = create({ maxBytes: 10 });
    for (const scope of ['a', 'b', 'c']) await large.done(scope, answer(scope.repeat(5)));
    expect(large.operations.size).toEqual({ inWork: 0, kept: 2, bytes: 10 });
    await large.done('d', answer('d'.repeat(50)));
    expect(large.operations.size).toEqual({ inWork: 0, kept: 1, bytes: 50 });
    await committed();
    expect([...large.shelf.records.keys()]).toHaveLength(2);
    expect(await large.repeat('d')).toBe('d'.repeat(50));
  });

  it('accepts no more requests in work than it may keep', () => {
    const { start } = create({ maxOperations: 2 });
    const first = start('a');
    start('b');
    expect(() => start('c')).toThrow(expect.objectContaining({ code: 'unavailable' }));
    first.end(answer('', 404));
    start('c');
  });

  it('does nothing if the disk refuses the key, and keeps an answer in memory that the disk refuses', async () => {
    const kept = create();
    kept.shelf.isFull = true;
    const refused = kept.start('a');
    await expect(refused.begin(() => ({}))).rejects.toMatchObject({ code: 'unavailable' });
    refused.end(answer('', 503));
    kept.shelf.isFull = false;
    const operation = kept.start('a', { another: 'body' });
    await operation.begin(() => ({}));
    kept.shelf.isFull = true;
    operation.end(answer('one'));
    await committed();
    const again = kept.operations.enter('a', { another: 'body' });
    expect('answer' in again && (await again.answer).body).toBe('one');
    expect(kept.errors).toHaveLength(2);
  });
});
