import { tmpdir, userInfo } from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import { resolvePaths } from '#dist/config/paths.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

/**
 * Returns the socket of a service in this environment, where HOME defaults to the home folder that the system reports.
 */
function socketIn(env: Record<string, string | undefined>): string {
  const usual = { HOME: userInfo().homedir, XDG_DATA_HOME: undefined, AUTO_TERMINAL_HOME: undefined };
  for (const [name, value] of Object.entries({ ...usual, ...env })) vi.stubEnv(name, value);
  return resolvePaths({ env: process.env, platform: 'linux', tmpFolder: tmpdir() }).tmuxSocket;
}

test("an instance in the account's own folders has a socket with a memorable name", () => {
  expect(socketIn({})).toBe('auto-terminal');
  expect(socketIn({ AUTO_TERMINAL_HOME: '', XDG_DATA_HOME: '' })).toBe('auto-terminal');
});

test('an instance elsewhere has a socket of its own, the same at each start', () => {
  const elsewhere = [
    { AUTO_TERMINAL_HOME: '/a' },
    { AUTO_TERMINAL_HOME: '/b' },
    { XDG_DATA_HOME: '/a' },
    { HOME: '/a' },
  ];
  const names = elsewhere.map(socketIn);
  for (const name of names) expect(name).toMatch(/^auto-terminal-[0-9a-f]{8}$/);
  expect(elsewhere.map(socketIn)).toEqual(names);
  expect(new Set(names).size).toBe(names.length);
});
