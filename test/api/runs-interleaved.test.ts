import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { play, steps } from '../support/interleaved.js';
import { settleHome } from '../support/runs.js';
import { useService } from '../support/use-service.js';

const used = useService();
beforeAll(() => settleHome(used.service.home));

/** Interleavings a shell, and how many go on at once. */
const TOTAL = Number(process.env.AUTO_TERMINAL_INTERLEAVINGS ?? 200);
const AT_ONCE = 8;

let number = 0;

it.each(['bash', 'zsh', 'fish'])(
  'in %s no answer is of another command, and nothing runs twice or that nobody has sent',
  async (shell) => {
    const together = fc.array(steps(), { minLength: AT_ONCE, maxLength: AT_ONCE });
    const property = fc.asyncProperty(together, async (scripts) => {
      const plays = scripts.map((script) => play(used.api, used.service.home, shell, ++number, script));
      await Promise.all(plays);
    });
    await fc.assert(property, { numRuns: Math.ceil(TOTAL / AT_ONCE), endOnFailure: true });
    expect(number).toBeGreaterThanOrEqual(TOTAL);
  },
  1_800_000,
);
