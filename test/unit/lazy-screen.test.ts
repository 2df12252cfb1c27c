import { expect, test } from 'vitest';
import { SpareScreen } from '../../src/workers/shard/screen/spare-screen.js';
import { drivePairs, SEEDS } from '../support/drive-pairs.js';
import { LazyPair } from '../support/lazy-pair.js';
import { plainStream, smallSize } from '../support/plain-streams.js';
import { Random } from '../support/random.js';

test(
  'a screen that parses only visible output is the same as one that parses all',
  () => {
    const seen = drivePairs((random) => ({
      size: smallSize(random),
      steps: plainStream(random),
      often: { comparePlace: 17, compare: 2, saveSkipped: 10, sleep: 3, rest: 15 },
    }));
    expect(seen.skips).toBeGreaterThan(SEEDS / 2);
    expect(seen.sleeps).toBeGreaterThan(SEEDS / 10);
    expect(seen.checkpoints).toBeGreaterThan(SEEDS / 10);
    expect(seen.tracked).toBeGreaterThan(SEEDS);
    expect(seen.lines).toBeGreaterThan(SEEDS / 10);
    expect(seen.shown).toBeGreaterThan(SEEDS / 10);
  },
  300_000 + 50 * SEEDS,
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
    // With bare line feeds, only a screen knows where the lines are.
    if (end === '\r\n') expect(pair.seen.lines).toBeGreaterThan(20);
    expect(pair.seen.shown).toBeGreaterThan(20);
  },
);
