import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MAX_LOG_BYTES, MAX_TOTAL_LOG_BYTES } from '#dist/contract/limits.js';
import { Lifetime } from '#dist/workers/pty-host/lifetime.js';
import { LogBudget } from '#dist/workers/pty-host/log/log-budget.js';
import { membersOf } from '#dist/workers/pty-host/processes/killer.js';
import { parsePs } from '#dist/workers/pty-host/processes/process-tree.js';

describe('the processes of a session', () => {
  const entry = (pid: number, session: number, startedAt: string) => ({
    pid,
    session,
    startedAt,
    group: pid,
  });
  const leader = entry(10, 10, 'early');
  const child = entry(11, 10, 'later');
  const stranger = entry(12, 3, 'later');

  test('are those of its number', () => {
    const session = { leader: 10, startedAt: 'early' };
    expect(membersOf(session, [leader, child, stranger])).toEqual([leader, child]);
    expect(membersOf(session, [child, stranger])).toEqual([child]);
  });

  test('include a leader that has not made its session yet', () => {
    const fresh = entry(10, 3, 'early');
    expect(membersOf({ leader: 10, startedAt: 'early' }, [fresh, stranger])).toEqual([fresh]);
  });

  test('are not those of a later session with the same number', () => {
    expect(membersOf({ leader: 10, startedAt: 'before' }, [leader, child])).toEqual([]);
  });
});

describe('the output of ps', () => {
  test('is used as it is if it names sessions', () => {
    const entries = parsePs('  10  1 10 10 Ss\n 11 10 11 10 T\n 12 10 12 10 Z\n', 1);
    expect(entries.map(({ pid, session }) => [pid, session])).toEqual([
      [10, 10],
      [11, 10],
    ]);
  });

  test('gives sessions by descent from the host if it does not', () => {
    const entries = parsePs('5 1 5 0 S\n10 5 10 0 Ss\n11 10 11 0 S\n12 11 11 0 S\n13 1 13 0 S\n', 5);
    expect(entries.map(({ pid, session }) => [pid, session])).toEqual([
      [5, 0],
      [10, 10],
      [11, 10],
      [12, 10],
      [13, 0],
    ]);
  });
});

describe('the budget of the logs', () => {
  test('gives each its bound while there is room, and less when all grow', () => {
    const budget = new LogBudget();
    expect(budget.limit).toBe(MAX_LOG_BYTES);
    budget.changed(MAX_TOTAL_LOG_BYTES - 1000);
    expect(budget.limit).toBe(1000);
    budget.changed(-MAX_LOG_BYTES);
    expect(budget.limit).toBe(MAX_LOG_BYTES);
  });

  test('reports to its terminals when the limit begins to restrict them, and whenever it rises again', () => {
    const budget = new LogBudget();
    let told = 0;
    const terminal = { limitChanged: () => (told += 1) };
    budget.join(terminal);
    budget.changed(MAX_LOG_BYTES);
    expect(told).toBe(0);
    budget.changed(MAX_TOTAL_LOG_BYTES - 2 * MAX_LOG_BYTES + 1);
    expect(told).toBe(1);
    budget.changed(10);
    expect(told).toBe(1);
    budget.changed(-5);
    expect(told).toBe(2);
    budget.changed(-MAX_LOG_BYTES);
    expect(told).toBe(3);
    budget.leave(terminal);
    budget.changed(MAX_LOG_BYTES);
    expect(told).toBe(3);
  });
});

describe('the lifetime of the host', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function lifetime() {
    const ends: string[] = [];
    const life = new Lifetime({
      idleMs: 10,
      orphanMs: 1000,
      onIdle: () => ends.push('idle'),
      onOrphaned: () => ends.push('orphaned'),
    });
    return { life, ends };
  }

  test('ends if no service ever connects', () => {
    const { ends } = lifetime();
    vi.advanceTimersByTime(10);
    expect(ends).toEqual(['idle']);
  });

  test('goes on with a service, however long', () => {
    const { life, ends } = lifetime();
    life.update({ service: true, terminals: 0 });
    vi.advanceTimersByTime(1e9);
    expect(ends).toEqual([]);
    life.update({ service: false, terminals: 0 });
    vi.advanceTimersByTime(10);
    expect(ends).toEqual(['idle']);
  });

  test('with terminals waits for a service as long as the last service asked for', () => {
    const { life, ends } = lifetime();
    life.update({ service: true, terminals: 2, orphanMs: 500 });
    life.update({ service: false, terminals: 2 });
    vi.advanceTimersByTime(400);
    life.update({ service: false, terminals: 1 });
    vi.advanceTimersByTime(99);
    expect(ends).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(ends).toEqual(['orphaned']);
  });
});
