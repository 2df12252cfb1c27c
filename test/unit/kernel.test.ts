import { describe, expect, it } from 'vitest';
import { spendRestart } from '../../src/actors/kernel/restart-budget.js';
import { Supervised } from '../../src/actors/kernel/supervised.js';

describe('spendRestart', () => {
  const budget = { restarts: 2, withinMs: 1_000 };

  it('allows as many as the budget says and forgets old ones', () => {
    expect(spendRestart([], 0, budget)).toEqual([0]);
    expect(spendRestart([0], 500, budget)).toEqual([0, 500]);
    expect(spendRestart([0, 500], 999, budget)).toBeUndefined();
    expect(spendRestart([0, 500], 1_000, budget)).toEqual([500, 1_000]);
  });
});

describe('Supervised', () => {
  function create(restarts: number) {
    const deaths: Array<(reason: Error) => void> = [];
    const log: string[] = [];
    const supervised = new Supervised<number>({
      budget: { restarts, withinMs: 60_000 },
      start: () => deaths.length,
      died: () => new Promise((resolve) => deaths.push(resolve)),
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
    expect(log).toEqual(['restarted 1: first', 'gave up: second']);
  });

  it('takes a death after stop for an end', async () => {
    const { supervised, log, kill } = create(1);
    supervised.stop();
    await kill(0, 'told to');
    expect(log).toEqual([]);
  });
});
