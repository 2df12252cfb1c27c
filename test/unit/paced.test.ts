import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ACTIVITY_EVERY_MS } from '#dist/contract/limits.js';
import { Activity } from '#dist/workers/shard/activity.js';
import { Paced } from '#dist/workers/shard/paced.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('the first value is reported at once, and of those that follow the last', () => {
  const told: string[] = [];
  const paced = new Paced<string>(100, (value) => told.push(value));
  for (const value of ['a', 'b', 'c']) paced.offer(value);
  expect(told).toEqual(['a']);
  vi.advanceTimersByTime(100);
  expect(told).toEqual(['a', 'c']);
  vi.advanceTimersByTime(99);
  paced.offer('d');
  expect(told).toEqual(['a', 'c']);
  vi.advanceTimersByTime(1);
  expect(told).toEqual(['a', 'c', 'd']);
  vi.advanceTimersByTime(1_000);
  paced.offer('e');
  expect(told).toEqual(['a', 'c', 'd', 'e']);
});

test('what waits is reported at the end, and dropped at a close', () => {
  const told: string[] = [];
  const ended = new Paced<string>(100, (value) => told.push(`ended ${value}`));
  const closed = new Paced<string>(100, (value) => told.push(`closed ${value}`));
  for (const paced of [ended, closed]) for (const value of ['a', 'b']) paced.offer(value);
  ended.end();
  closed.close();
  vi.advanceTimersByTime(1_000);
  expect(told).toEqual(['ended a', 'closed a', 'ended b']);
});

test('each terminal is reported at most once in the interval, with every byte', () => {
  const told: string[] = [];
  const activity = new Activity((id, bytes) => told.push(`${id} ${bytes}`));
  activity.printed('a', 1);
  activity.printed('b', 2);
  activity.printed('a', 3);
  activity.printed('gone', 9);
  activity.forget('gone');
  expect(told).toEqual(['a 1']);
  vi.advanceTimersByTime(ACTIVITY_EVERY_MS);
  expect(told).toEqual(['a 1', 'b 2', 'a 3']);
  vi.advanceTimersByTime(ACTIVITY_EVERY_MS);
  expect(told).toHaveLength(3);
  expect(vi.getTimerCount()).toBe(0);
  activity.printed('b', 4);
  expect(told.at(-1)).toBe('b 4');
});
