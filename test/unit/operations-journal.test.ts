import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeptAnswer, OperationRecord } from '#dist/actors/operations/kept-operation.js';
import type { Operation } from '#dist/actors/operations/operation.js';
import type { Operations } from '#dist/actors/operations/operations.js';
import { Journal } from '#dist/store/journal.js';
import { newOperations } from '../support/operations.js';
import { SlowShelf, turn } from '../support/slow-shelf.js';
import { tries } from '../support/tries.js';

const answer = (status: number): KeptAnswer => ({ status, type: 'text/plain', body: 'done' });

let folder: string;
let file: string;
let shelf: SlowShelf<OperationRecord>;
let journal: Journal;
let operations: Operations;

function start(maxBytes = 100_000): void {
  journal = Journal.open(file, maxBytes);
  operations = newOperations({ shelf, journal });
}

/** Ends the service at once, as SIGKILL does, and starts the next one. */
function restart(maxBytes?: number): void {
  shelf.crash();
  journal.close();
  start(maxBytes);
}

function enter(scope: string): Operation | undefined {
  const entered = operations.enter(scope, {});
  return 'operation' in entered ? entered.operation : undefined;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'operations-journal-'));
  file = join(folder, 'operations.journal');
  shelf = new SlowShelf();
  start();
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true });
});

describe('an operation that has begun', () => {
  it('is known to the next service before the store has it', async () => {
    const first = enter('a')!;
    expect(await first.begin(() => ({ terminalId: 'term_1' }))).toEqual({ terminalId: 'term_1' });
    expect(shelf.records.size).toBe(0);
    restart();
    const next = enter('a')!;
    expect([next.id, next.earlier]).toEqual([first.id, { terminalId: 'term_1' }]);
    await shelf.commitAll();
    expect([...shelf.records.values()]).toEqual([expect.objectContaining({ id: first.id })]);
  });

  it('leaves the journal once the store has it', async () => {
    await enter('a')!.begin(() => ({}));
    await enter('b')!.begin(() => ({}));
    await shelf.commit();
    expect(statSync(file).size).toBeGreaterThan(0);
    await shelf.commit();
    expect(statSync(file).size).toBe(0);
    await enter('c')!.begin(() => ({}));
    expect(statSync(file).size).toBeGreaterThan(0);
  });

  it('stays in the journal if the store cannot be written', async () => {
    const first = enter('a')!;
    await first.begin(() => ({}));
    await shelf.commit(new Error('no space left'));
    await enter('b')!.begin(() => ({}));
    await shelf.commit();
    restart();
    expect(enter('a')!.id).toBe(first.id);
    await shelf.commitAll();
    expect(statSync(file).size).toBe(0);
  });

  it('is unknown once it was dropped, also if the store has nothing of that', async () => {
    const refused = enter('a')!;
    await refused.begin(() => ({}));
    const other = enter('b')!;
    await other.begin(() => ({}));
    refused.end(answer(404));
    restart();
    expect([enter('a')!.earlier, enter('b')!.id]).toEqual([undefined, other.id]);
  });

  it('keeps its answer beside its line in the journal', async () => {
    const answered = enter('a')!;
    await answered.begin(() => ({}));
    await enter('b')!.begin(() => ({}));
    answered.end(answer(200));
    await shelf.commit();
    await shelf.commit(new Error('no space left'));
    await shelf.commitAll();
    restart();
    expect(operations.enter('a', {})).toEqual({ answer: expect.any(Promise) });
  });

  it('waits for the store where the journal is full', async () => {
    restart(10);
    const first = enter('a')!;
    let hasBegun = false;
    const begun = first.begin(() => ({})).then(() => (hasBegun = true));
    await turn();
    expect(hasBegun).toBe(false);
    await shelf.commit();
    await begun;
    const refused = enter('b')!.begin(() => ({}));
    const told = expect(refused).rejects.toMatchObject({ code: 'unavailable' });
    await turn();
    await shelf.commit(new Error('no space left'));
    await told;
    expect(statSync(file).size).toBe(0);
  });

  it('waits for the store where the journal cannot be written, and says so', async () => {
    const errors: unknown[] = [];
    const add = () => {
      throw new Error('no space left');
    };
    const broken = { found: [], add, blank: add, clear: add };
    const logger = { error: (facts: unknown) => void errors.push(facts) };
    operations = newOperations({ shelf, journal: broken, logger });
    let hasBegun = false;
    const begun = enter('a')!
      .begin(() => ({}))
      .then(() => (hasBegun = true));
    await turn();
    expect([hasBegun, errors]).toEqual([false, [{ err: new Error('no space left') }]]);
    await shelf.commit();
    await begun;
  });

  it('is known beside a line that was cut, and beside bytes that are no lines', async () => {
    const first = enter('a')!;
    await first.begin(() => ({}));
    appendFileSync(file, '\0\0\n{"name":"b"}\n{"name":"c","record":{"kind":"oper');
    restart();
    const second = enter('b')!;
    expect(second.earlier).toBeUndefined();
    await second.begin(() => ({}));
    restart();
    expect([enter('a')!.id, enter('b')!.id]).toEqual([first.id, second.id]);
  });
});

it('names the file that is no journal', () => {
  expect(() => Journal.open(folder, 1_000)).toThrow(`${folder}: cannot be opened (EISDIR)`);
  writeFileSync(join(folder, 'other'), '');
  expect(() => Journal.open(join(folder, 'other', 'x'), 1_000)).toThrow('ENOTDIR');
});

/** What the tests did with one key, since it was last unknown. */
interface Told {
  operation: Operation;
  state: 'begun' | 'open' | 'done' | 'dropped';
}

const KEYS = ['a', 'b', 'c'];
const Step = fc.record({
  key: fc.constantFrom(...KEYS),
  step: fc.oneof(
    { weight: 4, arbitrary: fc.constant('begin' as const) },
    { weight: 3, arbitrary: fc.constantFrom('done' as const, 'refused' as const, 'unknown' as const) },
    { weight: 4, arbitrary: fc.constant('commit' as const) },
    { weight: 1, arbitrary: fc.constantFrom('fail' as const, 'crash' as const) },
  ),
});

it('knows after each crash what has begun, whatever the store had by then', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(Step, { maxLength: 40 }), fc.boolean(), async (steps, isSmall) => {
      rmSync(file, { force: true });
      shelf = new SlowShelf();
      restart(isSmall ? 400 : undefined);
      const known = new Map<string, Told>();
      const begin = async (key: string) => {
        const operation = enter(key);
        const before = known.get(key);
        if (!operation) return expect(before?.state).toBe('done');
        if (before?.state === 'begun') expect.fail('the operation is in work');
        // A removal that the store did not have yet may be undone by a crash, as may an answer.
        const isKnown = before !== undefined && before.state !== 'dropped';
        if (isKnown || operation.id === before?.operation.id) {
          expect([key, operation.id]).toEqual([key, before?.operation.id]);
          expect(operation.earlier).toEqual({ terminalId: before?.operation.id });
        } else expect(operation.earlier).toBeUndefined();
        const begun = operation
          .begin(() => ({ terminalId: operation.id }))
          .then(
            () => true,
            () => false,
          );
        const inJournal = await Promise.race([begun, turn().then(() => undefined)]);
        if (inJournal === undefined) await shelf.commitAll();
        known.set(key, { operation, state: 'begun' });
      };
      const end = (key: string, status: number, state: Told['state']) => {
        const told = known.get(key);
        if (told?.state !== 'begun') return;
        const isRetry = told.operation.earlier !== undefined;
        told.operation.end(answer(status));
        told.state = state === 'dropped' && isRetry ? 'open' : state;
      };
      const crash = () => {
        restart(isSmall ? 400 : undefined);
        for (const told of known.values()) if (told.state === 'begun') told.state = 'open';
      };
      for (const { key, step } of steps) {
        if (step === 'begin' && known.get(key)?.state !== 'begun') await begin(key);
        else if (step === 'done') end(key, 200, 'done');
        else if (step === 'refused') end(key, 404, 'dropped');
        else if (step === 'unknown') end(key, 503, 'open');
        else if (step === 'commit') await shelf.commit();
        else if (step === 'fail') await shelf.commit(new Error('no space left'));
        else if (step === 'crash') crash();
      }
      crash();
      for (const key of KEYS) await begin(key);
    }),
    { numRuns: tries(300) },
  );
});
