/** How often a child may be restarted: `restarts` times in any `withinMs` milliseconds. */
export interface RestartBudget {
  restarts: number;
  withinMs: number;
}

/**
 * Decides whether a child that died at `now` is started again.
 *
 * @param earlier - times of the restarts before, in epoch milliseconds, oldest first
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
