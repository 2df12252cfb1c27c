/** Random choices that a seed repeats. */
export interface Random {
  /** A number from 0 up to, but not including, 1. */
  fraction(): number;
  /** A whole number from `low` to `high`, both included. */
  int(low: number, high: number): number;
  /** True with this probability, from 0 to 1. */
  chance(share: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
}

/** Mulberry32: 32 bits of state, which is plenty for these choices. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  function fraction(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const int = (low: number, high: number) => low + Math.floor(fraction() * (high - low + 1));
  return {
    fraction,
    int,
    chance: (share) => fraction() < share,
    pick: (values) => values[int(0, values.length - 1)]!,
  };
}
