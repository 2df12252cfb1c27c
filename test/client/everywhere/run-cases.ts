import { CASES, type Ground, type Sdk } from './cases.js';
import { inTime } from './check.js';

/** The failure of each case by its name; null if it passes. */
export type Outcomes = Record<string, string | null>;

/** Runs the cases one after the other. */
export async function runCases(sdk: Sdk, ground: Ground): Promise<Outcomes> {
  const outcomes: Outcomes = {};
  for (const [name, run] of Object.entries(CASES)) {
    outcomes[name] = await inTime(run(sdk, ground)).then(
      () => null,
      (error: unknown) => String(error instanceof Error ? (error.stack ?? error) : error),
    );
  }
  return outcomes;
}
