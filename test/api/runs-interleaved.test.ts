import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { play, steps } from '../support/interleaved.js';
import { RestartedService } from '../support/restarted-service.js';
import { settleHome } from '../support/runs.js';

/** Interleavings per shell, how many run at once, and in every how many such groups the service is killed. */
const TOTAL = Number(process.env.AUTO_TERMINAL_INTERLEAVINGS ?? 200);
const AT_ONCE = 8;
const RESTART_EVERY = 5;

let service: RestartedService;
beforeAll(async () => {
  service = await RestartedService.start();
  await settleHome(service.home);
});
afterAll(() => service.stop());

it.each(['bash', 'zsh', 'fish'])(
  'in %s no answer is of another command, and nothing runs twice or unrequested',
  async (shell) => {
    let number = 0;
    const together = fc.array(steps, { minLength: AT_ONCE, maxLength: AT_ONCE });
    const property = fc.asyncProperty(
      together,
      fc.integer({ min: 0, max: 400 }),
      async (scripts, killedMs) => {
        const isKilled = number % (AT_ONCE * RESTART_EVERY) === 0;
        const plays = scripts.map((script) => play(service, shell, `${shell}-${++number}`, script));
        // The kill comes at a random moment of the plays.
        const restart = isKilled ? delay(killedMs).then(() => service.restart()) : undefined;
        await Promise.all([restart, ...plays]);
      },
    );
    await fc.assert(property, { numRuns: Math.ceil(TOTAL / AT_ONCE), endOnFailure: true });
    expect(number).toBeGreaterThanOrEqual(TOTAL);
  },
  3_600_000,
);
