import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Tally } from '#dist/actors/inbox/tally.js';
import type { WaitManyResult } from '#dist/contract/wait-many.js';

const IDS = ['a', 'b', 'c', 'd', 'e', 'f'];
const mode = fc.oneof(fc.constantFrom('any' as const, 'all' as const), fc.integer({ min: 1, max: 7 }));
const result = fc.record({
  terminalId: fc.constantFrom(...IDS),
  event: fc.constantFrom<WaitManyResult['event']>('waiting', 'exited', null),
});

describe('a tally', () => {
  test('is open as long as too little has happened and enough still can, and answers with first results', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 6 }), mode, fc.array(result), (count, asked, results) => {
        const ids = IDS.slice(0, count);
        const tally = new Tally(ids, asked);
        const first = new Map<string, WaitManyResult>();
        for (const next of results.filter(({ terminalId }) => ids.includes(terminalId))) {
          tally.add(next);
          if (!first.has(next.terminalId)) first.set(next.terminalId, next);
        }
        const met = [...first.values()].filter(({ event }) => event).length;
        const needed = asked === 'any' ? 1 : asked === 'all' ? count : asked;
        const pending = ids.filter((id) => !first.has(id));
        expect(tally.pending).toEqual(pending);
        expect(tally.isOpen).toBe(met < needed && met + pending.length >= needed);
        expect(tally.answer()).toEqual({
          done: count > 0 && met >= needed,
          results: ids.flatMap((id) => first.get(id) ?? []),
          pending,
          summary: { total: count, met, gone: first.size - met, pending: pending.length },
        });
      }),
    );
  });
});
