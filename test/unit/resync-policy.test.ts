import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitsFrame, fitsMessage, isDrained, MissedOutput } from '../../src/gateway/ws/resync-policy.js';

const bounds = { maxBytes: 1_000, reservedBytes: 200, drainedBytes: 10, messageBytes: 0 };

describe('the queue of a client', () => {
  it('keeps room for replies and events, and takes a frame of any size while it is empty', () => {
    expect([fitsFrame(1, 799, bounds), fitsFrame(1, 800, bounds), fitsFrame(0, 5_000, bounds)]).toEqual([
      true,
      false,
      true,
    ]);
    expect([fitsMessage(800, 200, bounds), fitsMessage(801, 200, bounds)]).toEqual([true, false]);
    expect([isDrained(10, bounds), isDrained(11, bounds)]).toEqual([true, false]);
  });
});

type Act =
  | { act: 'drop' | 'interrupt' | 'postpone' | 'settle'; id: string }
  | { act: 'defer'; id: string; message: string; replaces: string | undefined }
  | { act: 'take' };

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ act: fc.constantFrom('drop', 'interrupt', 'postpone', 'settle'), id }),
  fc.record({
    act: fc.constant('defer' as const),
    id,
    message: fc.string({ maxLength: 3 }),
    replaces: fc.constantFrom('resized', undefined),
  }),
  fc.record({ act: fc.constant('take' as const) }),
);

describe('missed output', () => {
  it('is owed until it is settled, with every event that nothing has replaced, in order', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const missed = new MissedOutput();
        const events = new Map<string, Array<{ message: string; replaces: string | undefined }>>();
        const requested = new Set<string>();
        for (const each of acts) {
          if (each.act === 'take') {
            const free = Math.max(0, 4 - requested.size);
            const waiting = [...events.keys()].filter((owed) => !requested.has(owed));
            expect(missed.takeOwed()).toEqual(waiting.slice(0, free));
            for (const owed of waiting.slice(0, free)) requested.add(owed);
          } else if (each.act === 'defer') {
            const { message, replaces } = each;
            const kept = events.get(each.id);
            const stays = kept?.filter((earlier) => replaces === undefined || earlier.replaces !== replaces);
            const replaced = kept?.filter((earlier) => !stays?.includes(earlier));
            expect(missed.defer(each.id, { message, replaces })).toEqual(replaced?.map((old) => old.message));
            if (stays) events.set(each.id, [...stays, { message, replaces }]);
          } else if (each.act === 'settle') {
            expect(missed.settle(each.id)).toEqual((events.get(each.id) ?? []).map(({ message }) => message));
            events.delete(each.id);
            requested.delete(each.id);
          } else if (each.act === 'postpone') {
            missed.postpone(each.id);
            requested.delete(each.id);
          } else {
            missed[each.act](each.id);
            if (!events.has(each.id)) events.set(each.id, []);
            if (each.act === 'interrupt') requested.add(each.id);
          }
          for (const terminal of 'abcdefg') {
            expect(missed.has(terminal)).toBe(events.has(terminal));
            expect(missed.isRequested(terminal)).toBe(requested.has(terminal));
          }
        }
      }),
    );
  });
});
