import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SearchTurns } from '../../src/actors/search/search-turns.js';
import { MAX_RUNNING_SEARCHES, MAX_SEARCHES, SEARCH_DEADLINE_MS } from '../../src/contract/limits.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Searches that run until the test ends them, in the order in which they began. */
function searches() {
  const turns = new SearchTurns();
  const begun: number[] = [];
  const end: Array<() => void> = [];
  const settled: Array<Promise<string>> = [];
  const add = () => {
    const index = settled.length;
    const work = () => {
      begun.push(index);
      return new Promise<string>((resolve) => {
        end[index] = () => resolve(`answer ${index}`);
      });
    };
    settled.push(turns.take(work).catch((error: Error) => error.message));
  };
  return { add, begun, end, settled };
}

const turn = () => vi.advanceTimersByTimeAsync(0);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

test('a few searches run, a bounded number waits in order, and more are refused', async () => {
  const { add, begun, end, settled } = searches();
  for (let count = 0; count <= MAX_SEARCHES; count++) add();
  await turn();
  expect(begun).toEqual(upTo(MAX_RUNNING_SEARCHES));
  expect(await settled[MAX_SEARCHES]).toMatch(/unavailable/i);
  for (let index = 0; index < MAX_SEARCHES; index++) {
    end[index]!();
    await turn();
    expect(begun).toEqual(upTo(Math.min(MAX_SEARCHES, MAX_RUNNING_SEARCHES + index + 1)));
    expect(await settled[index]).toBe(`answer ${index}`);
  }
});

test('a search that waits is answered at its deadline, frees its place, and never runs', async () => {
  const { add, begun, end, settled } = searches();
  for (let count = 0; count < MAX_SEARCHES; count++) add();
  await vi.advanceTimersByTimeAsync(SEARCH_DEADLINE_MS);
  for (const index of upTo(MAX_SEARCHES).slice(MAX_RUNNING_SEARCHES))
    expect(await settled[index]).toMatch(/unavailable/i);
  // As many places are free as searches were answered; the other searches still run.
  for (let count = MAX_RUNNING_SEARCHES; count < MAX_SEARCHES; count++) add();
  add();
  expect(await settled.at(-1)).toMatch(/unavailable/i);
  for (let index = 0; index < MAX_RUNNING_SEARCHES; index++) end[index]!();
  await turn();
  expect(begun).toEqual([
    ...upTo(MAX_RUNNING_SEARCHES),
    ...upTo(MAX_RUNNING_SEARCHES).map((index) => MAX_SEARCHES + index),
  ]);
  expect(await Promise.all(settled.slice(0, MAX_RUNNING_SEARCHES))).toEqual(
    upTo(MAX_RUNNING_SEARCHES).map((index) => `answer ${index}`),
  );
});
