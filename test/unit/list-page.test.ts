import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byAge, comesAfter, pageCursor } from '#dist/actors/list-page.js';

const terminal = fc.record({
  // Few times, so that many terminals share a millisecond.
  createdAt: fc.integer({ min: 1_790_000_000_000, max: 1_790_000_000_003 }),
  id: fc.string({ unit: fc.constantFrom(...'0a9z'), minLength: 1, maxLength: 3 }).map((id) => `term_${id}`),
});

describe('pages of a list', () => {
  test('hold each terminal that was there all the time once, in order, whatever closes between two pages', () => {
    const terminals = fc.uniqueArray(terminal, { selector: ({ id }) => id, maxLength: 30 });
    const closings = fc.array(fc.nat(30), { maxLength: 10 });
    fc.assert(
      fc.property(terminals, fc.integer({ min: 1, max: 7 }), closings, (all, limit, closed) => {
        let left = [...all].sort(byAge);
        const seen: string[] = [];
        const gone = new Set<string>();
        let after: string | undefined;
        for (let page = 0; ; page++) {
          const rest = after === undefined ? left : left.filter(comesAfter(after));
          const shown = rest.slice(0, limit);
          seen.push(...shown.map(({ id }) => id));
          const last = shown.at(-1);
          if (!last || rest.length <= limit) break;
          after = pageCursor(last);
          const closing = left[closed[page] ?? -1];
          // The cursor may name this very terminal.
          if (closing) gone.add(closing.id);
          left = left.filter(({ id }) => !gone.has(id));
        }
        expect(new Set(seen).size).toBe(seen.length);
        const stayed = [...all].sort(byAge).filter(({ id }) => !gone.has(id));
        expect(seen.filter((id) => !gone.has(id))).toEqual(stayed.map(({ id }) => id));
      }),
    );
  });

  test.each(['', 'x', 'term_0', '17', '1234567890123456.term_0'])('%j is no cursor of a page', (cursor) => {
    expect(() => comesAfter(cursor)).toThrow('cursor');
  });
});
