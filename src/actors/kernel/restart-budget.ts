/** How often a child may be restarted: `restarts` times in any `withinMs` milliseconds. */
export interface RestartBudget {
  restarts: number;
  withinMs: number;
  /** Milliseconds to wait before the first restart, the second, and so on; a restart without an entry comes at once. */
  delaysMs?: readonly number[];
  /** Once the budget is spent, another try comes this many milliseconds after each death; none when absent. */
  retryMs?: number;
}

/** Decision about a child that died. */
export interface Restart {
  /** Times of restarts to remember, oldest first, on a monotonic clock. */
  restarts: number[];
  /** Milliseconds until another child is started; undefined if none is. */
  delayMs: number | undefined;
  /** The child has died too often. */
  isSpent: boolean;
}

/**
 * Decides whether a child that died at `now` is started again.
 *
 * @param earlier - times of the earlier restarts, oldest first, on a monotonic clock
 * @returns the times to remember if the child is started again, undefined when the budget is spent
 */
export function spendRestart(
  earlier: readonly number[],
  now: number,
  budget: RestartBudget,
): number[] | undefined {
  const recent = earlier.filter((time) => now - time < budget.withinMs);
  return recent.length < budget.restarts ? [...recent, now] : undefined;
}

/** Decides when a child that died at `now` is started again, and whether it has died too often. */
export function restartAfter(earlier: readonly number[], now: number, budget: RestartBudget): Restart {
  const restarts = spendRestart(earlier, now, budget);
  // A try beyond the budget does not count, so the budget recovers as time goes by.
  if (!restarts) return { restarts: [...earlier], delayMs: budget.retryMs, isSpent: true };
  return { restarts, delayMs: budget.delaysMs?.[restarts.length - 1] ?? 0, isSpent: false };
}
