import { SpareScreen } from '../../src/workers/shard/screen/spare-screen.js';
import { LazyPair, NOTHING_SEEN, type Seen } from './lazy-pair.js';
import { Random } from './random.js';
import type { Size, Step } from './screen-pair.js';
import { tries } from './tries.js';

/** `npm run test:long` sets 10,000. */
export const SEEDS = tries(250, 'AUTO_TERMINAL_LONG_SEEDS');
export const FIRST_SEED = Number(process.env.AUTO_TERMINAL_FIRST_SEED ?? 1);

/** The steps of one seed, and how often its pair is checked. */
export interface Drive {
  size: Size & { scrollback: number };
  steps: Iterable<Step>;
  /** Chance in percent, after each step, that the pair is compared, sleeps, and so on. */
  often: Record<'comparePlace' | 'compare' | 'saveSkipped' | 'sleep' | 'rest', number>;
}

/**
 * Drives a pair for each seed, and returns the counts of all pairs together. Throws at the first difference, with the
 * seed.
 */
export function drivePairs(planned: (random: Random) => Drive): Seen {
  const spare = new SpareScreen();
  const seen: Seen = { ...NOTHING_SEEN };
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    const random = new Random(seed);
    const { size, steps, often } = planned(random);
    const pair = new LazyPair(size);
    try {
      for (const step of steps) {
        pair.do(step);
        pair.compareHeld(spare);
        if (random.below(100) < often.comparePlace) pair.comparePlace();
        let next = random.below(100);
        for (const what of ['compare', 'saveSkipped', 'sleep', 'rest'] as const) {
          if (next >= 0 && next < often[what]) pair[what]();
          next -= often[what];
        }
      }
      pair.compare();
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
    } finally {
      pair.dispose();
    }
    for (const [what, times] of Object.entries(pair.seen)) seen[what as keyof Seen] += times;
  }
  process.stdout.write(`${SEEDS} seeds: ${JSON.stringify(seen)}\n`);
  return seen;
}
