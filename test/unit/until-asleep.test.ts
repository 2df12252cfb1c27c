import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type QuietNowParts, untilAsleep } from '../../src/actors/waits/quiet.js';
import { NESTED_READ_MS } from '../../src/contract/limits.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A terminal whose foreground holder `holder` returns. */
function held(holder: () => object) {
  const parts = {
    terminals: { startOf: () => ({ pid: 1 }) },
    foreground: { rests: () => new Promise(() => undefined), holder: async () => holder() },
  };
  let hasRead = false;
  const { signal } = new AbortController();
  void untilAsleep(parts as unknown as QuietNowParts, 'term', signal).then(() => {
    hasRead = true;
  });
  return { hasRead: () => hasRead };
}

it.each([
  ['it sleeps', { who: 'others', areAsleep: true }],
  ['nothing reports the foreground', { who: 'unknown' }],
])('a shell within a shell has read its input after a time, if %s', async (_what, holder) => {
  const terminal = held(() => holder);
  await vi.advanceTimersByTimeAsync(NESTED_READ_MS - 1);
  expect(terminal.hasRead()).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(terminal.hasRead()).toBe(true);
});

it.each([
  ['the shell within the shell', { who: 'others', areAsleep: false }],
  ['the own program', { who: 'own', argv: [] }],
])('not while %s is awake, however long that takes on a full machine', async (_what, holder) => {
  let now: object = holder;
  const terminal = held(() => now);
  await vi.advanceTimersByTimeAsync(20 * NESTED_READ_MS);
  expect(terminal.hasRead()).toBe(false);
  now = { who: 'others', areAsleep: true };
  await vi.advanceTimersByTimeAsync(NESTED_READ_MS);
  expect(terminal.hasRead()).toBe(true);
});
