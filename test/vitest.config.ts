import { defineConfig } from 'vitest/config';
import { BACKEND, CROWDED_TESTS, LONG_TESTS, TERMINAL_TESTS, UNIT_TESTS } from './projects.js';

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    globalSetup: ['test/support/global-setup.ts'],
    // Two at a time would leave two cores idle for a fifth of the time: files also wait, for programs and clocks.
    maxWorkers: 3,
    // Far more than any test takes on an idle machine: it ends a test that hangs, and tells nothing about speed.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // The default is one second, which is too short on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      // They change nothing outside of themselves. With modules of its own each file would take a second longer.
      { extends: true, test: { name: 'unit', include: UNIT_TESTS, exclude: LONG_TESTS, isolate: false } },
      {
        extends: true,
        test: {
          name: 'pty',
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
      { extends: true, test: { name: 'long', include: LONG_TESTS } },
      // What terminals do, once more, with the terminals in tmux.
      { extends: true, test: { name: 'tmux', include: TERMINAL_TESTS, env: { [BACKEND]: 'tmux' } } },
    ],
  },
});
