import { afterEach, expect, it, vi } from 'vitest';
import { AgentTimes } from '#dist/actors/agents/agent-times.js';

const working = { agent: 'claude', agentStatus: 'working', agentStatusReason: null } as const;
const waiting = { agent: 'claude', agentStatus: 'waiting', agentStatusReason: 'a dialog is open' } as const;

afterEach(() => void vi.useRealTimers());

/** The times of looks that have begun with one terminal, at 1,000 ms. */
function begun(): AgentTimes {
  vi.useFakeTimers({ now: 1_000 });
  const times = new AgentTimes();
  times.begin(['t']);
  return times;
}

it('does not say since when an agent does what it did at the first look', () => {
  const times = begun();
  times.looked('t', working);
  expect(times.told('t', working)).toBeNull();
  expect(times.since('t', working)).toBeNull();
});

it('says since when an agent does what it was seen to begin, for whatever reason', () => {
  const times = begun();
  times.looked('t', working);
  times.told('t', working);
  vi.setSystemTime(5_000);
  times.looked('t', waiting);
  expect(times.told('t', waiting)).toBe(5_000);
  expect(times.since('t', { ...waiting, agentStatusReason: 'it asks' })).toBe(5_000);
  expect(times.since('t', working)).toBeNull();
});

it('knows a change between the first look and what is told first', () => {
  const times = begun();
  times.looked('t', working);
  expect(times.told('t', waiting)).toBe(1_000);
});

it('knows since when the agent of a terminal runs that was created later', () => {
  const times = begun();
  times.begin(['t', 'later']);
  times.looked('later', working);
  expect(times.told('later', working)).toBe(1_000);
});

it('knows nothing any more after an end of the looks', () => {
  const times = begun();
  times.looked('t', working);
  times.told('t', waiting);
  times.clear();
  expect(times.since('t', waiting)).toBeNull();
  times.begin(['t']);
  times.looked('t', waiting);
  expect(times.told('t', waiting)).toBeNull();
});

it('keeps the time of what is told once more', () => {
  const times = begun();
  times.told('t', waiting);
  vi.setSystemTime(9_000);
  expect(times.told('t', waiting)).toBe(1_000);
});

it('forgets a terminal', () => {
  const times = begun();
  times.told('t', waiting);
  times.forget('t');
  expect(times.since('t', waiting)).toBeNull();
});
