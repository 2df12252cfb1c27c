import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RestartBudget, restartAfter, spendRestart } from '../../src/actors/kernel/restart-budget.js';
import { Supervised } from '../../src/actors/kernel/supervised.js';

describe('spendRestart', () => {
  const budget = { restarts: 2, withinMs: 1_000 };

  it('allows as many as the budget has and forgets old ones', () => {
    expect(spendRestart([], 0, budget)).toEqual([0]);
    expect(spendRestart([0], 500, budget)).toEqual([0, 500]);
    expect(spendRestart([0, 500], 999, budget)).toBeUndefined();
    expect(spendRestart([0, 500], 1_000, budget)).toEqual([500, 1_000]);
  });
});

describe('restartAfter', () => {
  const budget = { restarts: 3, withinMs: 1_000, delaysMs: [0, 50], retryMs: 700 };

  it('waits as the budget says for each death within its time', () => {
    expect(restartAfter([], 0, budget)).toEqual({ restarts: [0], delayMs: 0, isSpent: false });
    expect(restartAfter([0], 10, budget)).toEqual({ restarts: [0, 10], delayMs: 50, isSpent: false });
    // The budget has no third delay, and forgets old deaths.
    expect(restartAfter([0, 10], 90, budget)).toEqual({ restarts: [0, 10, 90], delayMs: 0, isSpent: false });
    expect(restartAfter([0, 10], 1_005, budget)).toMatchObject({ restarts: [10, 1_005], delayMs: 50 });
  });

  it('tries again slowly once the budget is spent, at no cost to it', () => {
    const spent = { restarts: [0, 10, 90], delayMs: 700, isSpent: true };
    expect(restartAfter([0, 10, 90], 200, budget)).toEqual(spent);
    expect(restartAfter([0, 10, 90], 950, budget)).toEqual(spent);
    expect(restartAfter([0, 10, 90], 1_000, budget)).toMatchObject({ isSpent: false });
  });

  it('is at once, and then never, if the budget says no more', () => {
    const plain = { restarts: 1, withinMs: 1_000 };
    expect(restartAfter([], 0, plain)).toEqual({ restarts: [0], delayMs: 0, isSpent: false });
    expect(restartAfter([0], 1, plain)).toEqual({ restarts: [0], delayMs: undefined, isSpent: true });
  });
});

describe('Supervised', () => {
  function create(restarts: number, more: Partial<RestartBudget> = {}) {
    const deaths: Array<(reason: Error) => void> = [];
    const log: string[] = [];
    const supervised = new Supervised<number>({
      budget: { restarts, withinMs: 60_000, ...more },
      start: () => deaths.length,
      died: () => new Promise((resolve) => deaths.push(resolve)),
      ended: (reason, delayMs) => log.push(`ended: ${reason.message}, ${delayMs} ms`),
      restarted: (child, reason) => log.push(`restarted ${child}: ${reason.message}`),
      gaveUp: (reason) => log.push(`gave up: ${reason.message}`),
    });
    const kill = async (index: number, message: string) => {
      deaths[index]?.(new Error(message));
      await Promise.resolve();
      await Promise.resolve();
    };
    return { supervised, log, kill };
  }

  it('replaces a child that died, until the budget is spent', async () => {
    const { supervised, log, kill } = create(1);
    await kill(0, 'first');
    expect(supervised.child).toBe(1);
    await kill(1, 'second');
    expect(log).toEqual(['ended: first, 0 ms', 'restarted 1: first', 'gave up: second']);
  });

  it('takes a death after stop for an end', async () => {
    const { supervised, log, kill } = create(1);
    supervised.stop();
    await kill(0, 'told to');
    expect(log).toEqual([]);
  });

  it('delays the next child, and reports it', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { supervised, log, kill } = create(2, { delaysMs: [0, 500], retryMs: 9_000 });
    await kill(0, 'first');
    expect([supervised.child, supervised.isWaiting]).toEqual([1, false]);
    await kill(1, 'second');
    expect([supervised.child, supervised.isWaiting]).toEqual([1, true]);
    vi.advanceTimersByTime(499);
    expect(supervised.isWaiting).toBe(true);
    vi.advanceTimersByTime(1);
    expect([supervised.child, supervised.isWaiting]).toEqual([2, false]);
    await kill(2, 'third');
    vi.advanceTimersByTime(9_000);
    expect([supervised.child, supervised.isWaiting]).toEqual([3, false]);
    expect(log).toEqual([
      ...['ended: first, 0 ms', 'restarted 1: first', 'ended: second, 500 ms', 'restarted 2: second'],
      ...['gave up: third', 'restarted 3: third'],
    ]);
  });

  it('starts no child after stop, though one waits', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { supervised, log, kill } = create(2, { delaysMs: [500] });
    await kill(0, 'first');
    supervised.stop();
    vi.advanceTimersByTime(1_000);
    expect([supervised.isWaiting, log]).toEqual([false, ['ended: first, 500 ms']]);
  });
});
