import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventRing } from '../../src/actors/event-log/event-ring.js';

/** Returns the expected result by definition: the longest tail of all events that is within the bounds. */
function keptOf(sizes: readonly number[], { maxEvents, maxBytes }: { maxEvents: number; maxBytes: number }) {
  let first = sizes.length;
  let bytes = 0;
  while (first > 0 && sizes.length - first < maxEvents && bytes + (sizes[first - 1] ?? 0) <= maxBytes)
    bytes += sizes[--first] ?? 0;
  return { first, bytes };
}

describe('the ring of events', () => {
  it('keeps the latest events within both bounds, under their numbers', () => {
    const bounds = fc.record({
      maxEvents: fc.integer({ min: 1, max: 8 }),
      maxBytes: fc.integer({ min: 1, max: 60 }),
    });
    const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 60 });
    fc.assert(
      fc.property(bounds, sizes, fc.integer({ min: 0, max: 1_000 }), (within, all, before) => {
        const ring = new EventRing<{ bytes: number }>(within, before);
        const there = new Set<number>();
        for (const [index, bytes] of all.entries()) {
          const dropped = ring.add({ bytes });
          there.add(before + index + 1);
          for (const n of dropped) expect(there.delete(n)).toBe(true);
          const kept = keptOf(all.slice(0, index + 1), within);
          expect([ring.first, ring.last, ring.bytes]).toEqual([
            before + kept.first + 1,
            before + index + 1,
            kept.bytes,
          ]);
          expect([...there]).toEqual([...ring.kept().keys()]);
        }
        for (let n = before; n <= before + all.length + 1; n++)
          expect(ring.at(n)?.bytes).toBe(there.has(n) ? all[n - before - 1] : undefined);
        const from = before + Math.floor(all.length / 2);
        const after = all.slice(Math.max(from + 1, ring.first) - before - 1);
        expect(ring.after(from).map(({ bytes }) => bytes)).toEqual(after);
      }),
    );
  });

  it('keeps nothing of an event that is larger than the bound', () => {
    const ring = new EventRing<{ bytes: number }>({ maxEvents: 10, maxBytes: 100 });
    ring.add({ bytes: 40 });
    expect(ring.add({ bytes: 101 })).toEqual([1, 2]);
    expect([ring.first, ring.last, ring.bytes, ring.after(0)]).toEqual([3, 2, 0, []]);
  });
});
