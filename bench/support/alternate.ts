type Sides = Record<string, () => Promise<unknown>>;

/**
 * Calls the sides in turn, so that all meet the same machine load; each turn begins with another side. Resolves with
 * the milliseconds of each call.
 */
export async function alternate<Given extends Sides>(
  sides: Given,
  count: number,
): Promise<{ [Name in keyof Given]: number[] }> {
  const names = Object.keys(sides);
  const times: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (let index = 0; index < count; index++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(index + turn) % names.length]!;
      const begin = performance.now();
      await sides[name]!();
      times[name]!.push(performance.now() - begin);
    }
  }
  return times as { [Name in keyof Given]: number[] };
}
