import { median } from './stats.js';

type Sides = Record<string, () => Promise<unknown>>;

/** What each side has given, one result a round. */
export type Results<Given extends Sides> = { [Name in keyof Given]: Array<Awaited<ReturnType<Given[Name]>>> };

/**
 * Runs every side once in each round, one after the other, so that the machine's moods meet all alike. Each round
 * begins with another side: none is always the one that runs after the same neighbour's garbage.
 */
export async function inRounds<Given extends Sides>(count: number, sides: Given): Promise<Results<Given>> {
  const names = Object.keys(sides);
  const results: Record<string, unknown[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < count; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length]!;
      results[name]!.push(await sides[name]!());
    }
  }
  return results as Results<Given>;
}

/** The median of one figure of the results; NaN of none. */
export function medianOf<T>(results: readonly T[], figure: (result: T) => number): number {
  return median(results.map(figure));
}
