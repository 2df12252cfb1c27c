import { defineConfig } from 'vitest/config';
import { BACKEND, CROWDED_TESTS, LONG_TESTS, RANDOM_TESTS, TERMINAL_TESTS, UNIT_TESTS } from './projects.js';
import { DEADLINE_MS } from './support/deadline.js';
import { AT_LENGTH } from './support/tries.js';

/**
 * Test files change nothing outside of themselves, so they share modules: separate ones would take each a second
 * longer.
 */
const isolate = false;

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    globalSetup: ['test/support/global-setup.ts'],
    // Two workers would leave two cores idle for a fifth of the time: files also wait, for programs and clocks.
    maxWorkers: 3,
    // Far more than any test takes on an idle machine: the limit ends a test that hangs, and does not measure speed.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // The default is one second, which is too short on a busy machine.
    expect: { poll: { timeout: DEADLINE_MS } },
    projects: [
      { extends: true, test: { name: 'unit', include: UNIT_TESTS, exclude: LONG_TESTS, isolate } },
      {
        extends: true,
        test: {
          name: 'pty',
          isolate,
          include: ['test/**/*.test.ts'],
          exclude: [...UNIT_TESTS, ...LONG_TESTS, ...CROWDED_TESTS],
        },
      },
      {
        extends: true,
        test: {
          name: 'crowded',
          include: CROWDED_TESTS,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'long', include: [...LONG_TESTS, ...RANDOM_TESTS], env: { [AT_LENGTH]: 'yes' } },
      },
      // The tests of what terminals do, repeated with the terminals in tmux.
      { extends: true, test: { name: 'tmux', include: TERMINAL_TESTS, env: { [BACKEND]: 'tmux' } } },
    ],
  },
});
