import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Places } from '#dist/actors/admission/places.js';
import { UNKNOWN_START_MS } from '#dist/contract/limits.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const asking = {
  ...{ terminalId: 'term_1', name: null, labels: { role: 'build' }, mode: 'api' as const, caller: null },
  ...{ priority: 0, queueMs: undefined },
};

function rig() {
  const listed = new Set<string>();
  const freed: boolean[] = [];
  const places = new Places({
    isListed: (id) => listed.has(id),
    onFreed: (isGone) => void freed.push(isGone),
  });
  return { places, listed, freed };
}

it('counts a terminal once, however many attempts to start it are not over', () => {
  const { places, freed } = rig();
  const first = places.take(asking);
  first.freeLater();
  const second = places.take(asking);
  expect(places.labels()).toEqual([{ role: 'build' }]);
  vi.advanceTimersByTime(UNKNOWN_START_MS);
  expect([places.labels().length, freed]).toEqual([1, []]);
  second.free();
  expect([places.labels(), freed]).toEqual([[], [true]]);
});

it('counts a terminal that an earlier attempt may yet start after a later one has started nothing', () => {
  const { places, freed } = rig();
  places.take(asking).freeLater();
  places.take(asking).free();
  expect([places.has('term_1'), freed]).toEqual([true, []]);
  vi.advanceTimersByTime(UNKNOWN_START_MS);
  expect([places.has('term_1'), freed]).toEqual([false, [true]]);
});

it('counts a listed terminal no longer, and not again once it has gone', () => {
  const { places, listed, freed } = rig();
  places.take(asking).freeLater();
  const second = places.take(asking);
  listed.add('term_1');
  expect(places.labels()).toEqual([]);
  second.free();
  listed.clear();
  expect(places.labels()).toEqual([]);
  vi.advanceTimersByTime(UNKNOWN_START_MS);
  expect(freed).toEqual([false]);
});
