import type { Bench } from './bench.js';
import { median } from './stats.js';

type Sides = Record<string, () => Promise<unknown>>;

/** Results of each side, one per round. */
export type Results<Given extends Sides> = { [Name in keyof Given]: Array<Awaited<ReturnType<Given[Name]>>> };

/**
 * Runs every side once in each round, one after the other, so that all meet the same machine load. Each round begins
 * with another side, so that no side always pays for the same neighbour's garbage.
 *
 * @param what - name of the measured thing in the progress, if a case has several
 */
export async function inRounds<Given extends Sides>(
  { rounds, progress }: Pick<Bench, 'rounds' | 'progress'>,
  sides: Given,
  what?: string,
): Promise<Results<Given>> {
  const names = Object.keys(sides);
  const results: Record<string, unknown[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length]!;
      progress.round(round + 1, rounds, { what, side: name });
      results[name]!.push(await sides[name]!());
    }
  }
  return results as Results<Given>;
}

/** Returns the median of one figure of the results; NaN without results. */
export function medianOf<T>(results: readonly T[], figure: (result: T) => number): number {
  return median(results.map(figure));
}
