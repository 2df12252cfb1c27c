import { expect, it } from 'vitest';
import { KeyedMutex } from '../../src/actors/keyed-mutex.js';
import { Part } from '../../src/actors/runs/part.js';
import { reasonOf } from '../../src/actors/runs/progress.js';
import type { RunParts } from '../../src/actors/runs/typed.js';
import { DomainError } from '../../src/contract/errors.js';
import { encodeCursor } from '../../src/workers/shard/read-cursor.js';

const cursor = encodeCursor({ position: 7, row: 0, col: 0, altScreen: false });

/** A program in a terminal, with a run that an earlier service process has begun there. */
function resumed({
  wasTyped,
  isTaken = false,
  code = 'unauthorized',
}: {
  wasTyped: () => Promise<boolean>;
  isTaken?: boolean;
  /** The error of typing without the right to. */
  code?: 'unauthorized';
}) {
  const withdrawn: string[] = [];
  const asked: (boolean | undefined)[] = [];
  const parts = {
    terminals: {
      startOf: () => ({ pid: 1, meta: { startedAt: 0, shell: null, marks: { nonce: 'n' } }, exit: null }),
      wasTyped,
      enter: async () => ({ release: () => {} }),
      type: async (
        _id: string,
        _keys: unknown,
        _origin: unknown,
        { ask }: { ask: { refusal?: () => unknown } },
      ) => {
        const may = ask.refusal?.() === undefined;
        asked.push(may);
        if (!may) throw new DomainError(code);
        return true;
      },
    },
    screens: { place: async () => ({ cursor, position: 7, modes: { bracketedPaste: false } }) },
    commands: {
      shellStatus: () => ({ integration: 'none' }),
      isExpected: () => false,
      follow: () => () => {},
      markSilent: async () => {},
    },
    submissions: { pending: () => 'none', hasDraft: () => false },
    foreground: { holder: async () => ({ who: 'own', argv: ['cat'] }), rests: async () => 'rests' },
    lines: {
      isTaken: () => false,
      giveUp: (_id: string, runId: string) => {
        withdrawn.push(runId);
        return !isTaken;
      },
    },
  } as unknown as RunParts;
  const part = (leftMs: number, isLeft = false) =>
    new Part(
      {
        ...{ isLeft, id: 'term', runId: 'run', command: 'true', origin: 'api', idleMs: 100 },
        ask: { refusal: () => new DomainError(code) },
      },
      leftMs,
      { parts, turns: new KeyedMutex(), stopping: new AbortController().signal },
    );
  return { part, withdrawn, asked };
}

it('follows what was typed, whatever the rights of its client are by now', async () => {
  const { part, asked } = resumed({ wasTyped: async () => true });
  const typed = part(0);
  expect(await typed.through(true)).toEqual({});
  expect(asked).toEqual([true]);
  expect(typed.progress.isTyped).toBe(true);
});

it('types nothing for clients that wanted that once they have left, and follows what was typed', async () => {
  const untyped = resumed({ wasTyped: async () => false });
  const dropped = untyped.part(10_000, true);
  expect(await dropped.through(true)).toEqual({});
  expect([untyped.asked, untyped.withdrawn, reasonOf(dropped.progress)]).toEqual([[], ['run'], 'not-typed']);

  const typed = resumed({ wasTyped: async () => true }).part(0, true);
  await typed.through(true);
  expect(typed.progress.isTyped).toBe(true);
});

it('withdraws a line that the earlier process has offered, before it reports the line as not typed', async () => {
  const untyped = resumed({ wasTyped: async () => false });
  const refused = untyped.part(10_000);
  expect(await refused.through(true)).toEqual({ fault: expect.objectContaining({ code: 'unauthorized' }) });
  expect([untyped.withdrawn, reasonOf(refused.progress)]).toEqual([['run'], 'not-typed']);

  const late = resumed({ wasTyped: async () => false });
  const over = late.part(0);
  expect(await over.through(true)).toEqual({});
  expect([late.withdrawn, reasonOf(over.progress)]).toEqual([['run'], 'not-typed']);

  // The shell was faster.
  const taken = resumed({ wasTyped: async () => false, isTaken: true }).part(0);
  await taken.through(true);
  expect(taken.progress.isTyped).toBe(true);
});

it('does not report as not typed what nobody can find out any more', async () => {
  for (const code of ['terminal-not-found', 'unavailable'] as const) {
    const lost = resumed({
      wasTyped: async () => {
        throw new DomainError(code);
      },
    });
    for (const leftMs of [0, 10_000]) {
      const part = lost.part(leftMs);
      expect(await part.through(true)).toEqual({ fault: expect.objectContaining({ code }) });
      expect(reasonOf(part.progress)).toBe('restarted');
    }
  }
});
