import { expect, test } from 'vitest';
import { drivePairs, SEEDS } from '../support/drive-pairs.js';
import { shellStream } from '../support/shell-streams.js';

test('the cursor and the modes of a shell are known without parsing, and the screen is the same later', () => {
  const seen = drivePairs((random) => {
    const size = { cols: 1 + random.below(30), rows: 1 + random.below(9), scrollback: random.of([0, 3, 50]) };
    const often = { comparePlace: 75, compare: 2, saveSkipped: 2, sleep: 7, rest: 10 };
    return { size, steps: shellStream(random, size), often };
  });
  expect(seen.sleeps).toBeGreaterThan(SEEDS);
  expect(seen.rests).toBeGreaterThan(SEEDS / 2);
  expect(seen.tracked).toBeGreaterThan(SEEDS * 5);
});
