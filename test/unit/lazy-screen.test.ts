import { expect, test } from 'vitest';
import { SpareScreen } from '../../src/workers/shard/screen/spare-screen.js';
import { LazyPair, NOTHING_SEEN, type Seen } from '../support/lazy-pair.js';
import { plainStream, smallSize } from '../support/plain-streams.js';
import { Random } from '../support/random.js';

/** `npm run test:long` sets 10,000. */
const SEEDS = Number(process.env.AUTO_TERMINAL_LONG_SEEDS ?? 250);
const FIRST_SEED = Number(process.env.AUTO_TERMINAL_FIRST_SEED ?? 1);

function run(seed: number): Seen {
  const random = new Random(seed);
  const pair = new LazyPair(smallSize(random));
  const spare = new SpareScreen();
  try {
    for (const step of plainStream(random)) {
      pair.do(step);
      pair.compareHeld(spare);
      const next = random.below(40);
      if (next === 0) pair.compare();
      else if (next === 1) pair.sleep();
      else if (next < 6) pair.saveSkipped();
      else if (next < 12) pair.rest();
    }
    pair.compare();
  } catch (error) {
    throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
  } finally {
    pair.dispose();
  }
  return pair.seen;
}

test(
  'a screen that parses only visible output is the same as one that parses all',
  () => {
    const seen: Seen = { ...NOTHING_SEEN };
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      for (const [what, times] of Object.entries(run(seed))) seen[what as keyof Seen] += times;
    }
    process.stdout.write(`${SEEDS} seeds: ${JSON.stringify(seen)}\n`);
    expect(seen.skips).toBeGreaterThan(SEEDS / 2);
    expect(seen.sleeps).toBeGreaterThan(SEEDS / 10);
    expect(seen.checkpoints).toBeGreaterThan(SEEDS / 10);
    expect(seen.lines).toBeGreaterThan(SEEDS / 10);
    expect(seen.shown).toBeGreaterThan(SEEDS / 10);
  },
  60_000 + 50 * SEEDS,
);

test.each([
  { cols: 1, rows: 5, scrollback: 100, end: '\r\n' },
  { cols: 80, rows: 24, scrollback: 1_000, end: '\r\n' },
  { cols: 33, rows: 3, scrollback: 200, end: '\r\n' },
  { cols: 1, rows: 5, scrollback: 100, end: '\n' },
  { cols: 80, rows: 24, scrollback: 1_000, end: '\n' },
  { cols: 33, rows: 3, scrollback: 200, end: '\n' },
])(
  'the same holds in a flood of large pieces, $cols columns wide, lines end with $end',
  ({ end, ...size }) => {
    const random = new Random(7);
    const pair = new LazyPair(size);
    const spare = new SpareScreen();
    for (let left = 40; left > 0; left--) {
      const word = () =>
        random.of(['word ', 'word ', 'word ', '\t', 'longer-than-others ', left % 5 ? '' : 'é中 ']);
      const line = () =>
        `\x1b[3${random.below(8)}m${Array.from({ length: random.below(30) }, word).join('')}${random.of(['\x1b[m', ''])}${end}`;
      const text = Array.from({ length: 1_500 }, line).join('');
      // Pieces as a reader of 64 KiB gets them.
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += 65_536) {
        pair.do(bytes.subarray(at, at + 65_536));
        pair.compareHeld(spare);
      }
      pair.saveSkipped();
    }
    pair.compare();
    pair.dispose();
    expect(pair.seen.skips).toBeGreaterThan(20);
    expect(pair.seen.checkpoints).toBeGreaterThan(20);
    // Below each other, the lines are where only a screen can tell.
    if (end === '\r\n') expect(pair.seen.lines).toBeGreaterThan(20);
    expect(pair.seen.shown).toBeGreaterThan(20);
  },
);
