/** How often a child may be restarted: `restarts` times in any `withinMs` milliseconds. */
export interface RestartBudget {
  restarts: number;
  withinMs: number;
  /** Milliseconds to wait before the first of them, the second, and so on; at once where it names none. */
  delaysMs?: readonly number[];
  /** Once the budget is spent, another try is made this many milliseconds after each death; none when absent. */
  retryMs?: number;
}

/** What is to be done about a child that died. */
export interface Restart {
  /** Times to remember, on a clock that is never set, oldest first. */
  restarts: number[];
  /** Milliseconds until another one is started; undefined where none is. */
  delayMs: number | undefined;
  /** It has died too often. */
  isSpent: boolean;
}

/**
 * Decides whether a child that died at `now` is started again.
 *
 * @param earlier - times of the restarts before, on a clock that is never set, oldest first
 * @returns the times to remember when it is, undefined when the budget is spent
 */
export function spendRestart(
  earlier: readonly number[],
  now: number,
  budget: RestartBudget,
): number[] | undefined {
  const recent = earlier.filter((time) => now - time < budget.withinMs);
  return recent.length < budget.restarts ? [...recent, now] : undefined;
}

/** Decides when a child that died at `now` is started again, and whether that was once too often. */
export function restartAfter(earlier: readonly number[], now: number, budget: RestartBudget): Restart {
  const restarts = spendRestart(earlier, now, budget);
  // A try beyond the budget is none of it: it comes back as time goes by.
  if (!restarts) return { restarts: [...earlier], delayMs: budget.retryMs, isSpent: true };
  return { restarts, delayMs: budget.delaysMs?.[restarts.length - 1] ?? 0, isSpent: false };
}
