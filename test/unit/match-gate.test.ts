import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MatchGate } from '../../src/actors/watches/match-gate.js';

describe('the events of a watch in one terminal', () => {
  it('tell of every match once, never too soon and never too often', () => {
    const options = fc.record({
      debounceMs: fc.integer({ min: 0, max: 5_000 }),
      maxPerMinute: fc.integer({ min: 1, max: 10 }),
    });
    const steps = fc.array(fc.tuple(fc.nat({ max: 20_000 }), fc.integer({ min: 1, max: 9 })), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(options, steps, ({ debounceMs, maxPerMinute }, all) => {
        const gate = new MatchGate({ debounceMs, maxPerMinute });
        const told: { at: number; count: number; text: string }[] = [];
        let now = 0;
        const until = (end: number) => {
          for (let due = gate.dueAt(); due !== undefined && due <= end; due = gate.dueAt()) {
            const at = Math.max(now, due);
            const gathered = gate.take(at);
            expect(gathered).toBeDefined();
            told.push({ at, ...gathered! });
          }
          now = end;
        };
        for (const [pause, count] of all) {
          until(now + pause);
          gate.add({ count, text: `line ${now}` });
          const before = told.length;
          until(now);
          // A report that comes now has the line that came now: no report is late, and none has an old line.
          if (told.length > before) expect(told.at(-1)!.text).toBe(`line ${now}`);
        }
        until(now + 200_000);
        expect(gate.take(now + 1)).toBeUndefined();
        const sum = (list: readonly number[]) => list.reduce((total, each) => total + each, 0);
        expect(sum(told.map(({ count }) => count))).toBe(sum(all.map(([, count]) => count)));
        for (const [index, { at }] of told.entries()) {
          if (index > 0) expect(at - told[index - 1]!.at).toBeGreaterThanOrEqual(debounceMs);
          const earlier = told[index - maxPerMinute];
          if (earlier) expect(at - earlier.at).toBeGreaterThanOrEqual(60_000);
        }
        expect(gate.isIdle(now)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('tell of the first match at once', () => {
    const gate = new MatchGate({ debounceMs: 2_000, maxPerMinute: 6 });
    gate.add({ count: 1, text: 'a' });
    expect(gate.take(5)).toEqual({ count: 1, text: 'a' });
    gate.add({ count: 1, text: 'b' });
    gate.add({ count: 2, text: 'c' });
    expect([gate.dueAt(), gate.take(2_004), gate.take(2_005)]).toEqual([
      2_005,
      undefined,
      { count: 3, text: 'c' },
    ]);
  });
});
