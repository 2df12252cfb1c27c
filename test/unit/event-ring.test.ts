import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventRing } from '../../src/actors/event-log/event-ring.js';
import type { LoggedEvent } from '../../src/actors/event-log/logged-event.js';
import { tries } from '../support/tries.js';

/** Returns the expected result by definition: the longest tail of all events that is within the bounds. */
function keptOf(sizes: readonly number[], { maxEvents, maxBytes }: { maxEvents: number; maxBytes: number }) {
  let first = sizes.length;
  let bytes = 0;
  while (first > 0 && sizes.length - first < maxEvents && bytes + (sizes[first - 1] ?? 0) <= maxBytes)
    bytes += sizes[--first] ?? 0;
  return { first, bytes };
}

/** An event that is told from all others. */
function event(number: number, bytes: number): LoggedEvent {
  const terminalId = number % 3 === 0 ? undefined : `term_${number}`;
  return {
    type: 'terminal.created',
    terminalId,
    labels: { number: `${number}` },
    json: `{"n":${number}}`,
    bytes,
  };
}

describe('the ring of events', () => {
  it('keeps the latest events within both bounds, under their numbers', () => {
    const bounds = fc.oneof(
      fc.record({ maxEvents: fc.integer({ min: 1, max: 8 }), maxBytes: fc.integer({ min: 1, max: 60 }) }),
      fc.record({
        maxEvents: fc.integer({ min: 200, max: 600 }),
        maxBytes: fc.integer({ min: 1, max: 20_000 }),
      }),
    );
    const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { size: 'max', maxLength: 700 });
    fc.assert(
      fc.property(
        bounds,
        sizes,
        fc.integer({ min: 0, max: 1_000 }),
        fc.nat(),
        (within, all, before, place) => {
          const ring = new EventRing(within, before);
          const wanted = all.map((bytes, index) => event(before + index + 1, bytes));
          let first = before + 1;
          for (const [index, added] of wanted.entries()) {
            for (const n of ring.add(added)) expect(n).toBe(first++);
            const kept = keptOf(all.slice(0, index + 1), within);
            expect([ring.first, ring.last, ring.bytes]).toEqual([first, before + index + 1, kept.bytes]);
            expect(first).toBe(before + kept.first + 1);
            // Reading unpacks events, and must change nothing.
            const read = 1 + ((place * (index + 1)) % (before + index + 1));
            expect(ring.at(read)).toEqual(read < first ? undefined : wanted[read - before - 1]);
          }
          const kept = wanted.slice(first - before - 1);
          expect([...ring.kept()]).toEqual(kept.map((each, index) => [first + index, each]));
          const from = before + Math.floor(all.length / 2);
          expect(ring.after(from)).toEqual(wanted.slice(Math.max(from + 1, first) - before - 1));
          expect([ring.at(before), ring.at(before + all.length + 1)]).toEqual([undefined, undefined]);
        },
      ),
      { numRuns: tries(100) },
    );
  });

  it('keeps nothing of an event that is larger than the bound', () => {
    const ring = new EventRing({ maxEvents: 10, maxBytes: 100 });
    ring.add(event(1, 40));
    expect(ring.add(event(2, 101))).toEqual([1, 2]);
    expect([ring.first, ring.last, ring.bytes, ring.after(0)]).toEqual([3, 2, 0, []]);
  });
});
