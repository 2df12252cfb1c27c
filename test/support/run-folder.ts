import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs';
import type { Socket } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Path of the script that cleans up after a run. */
export const SWEEP = new URL('sweep.bash', import.meta.url).pathname;

/**
 * Gives the test run a temporary folder of its own, which all its processes inherit in TMPDIR. Once the run has ended,
 * even by a signal, a separate process kills the processes that are left and removes the folder.
 */
export function openRunFolder(): void {
  // Each project of the run calls this.
  if (process.env.AUTO_TERMINAL_TEST_RUN) return;
  const folder = mkdtempSync(join(tmpdir(), 'at-run-'));
  // Tests that become another user work in it, too.
  chmodSync(folder, 0o1777);
  // Detached from the run, so that Ctrl+C does not reach the sweeper.
  const sweeper = spawn(SWEEP, [folder], { detached: true, stdio: ['pipe', 'ignore', 'inherit'] });
  sweeper.unref();
  (sweeper.stdin as Socket).unref();
  Object.assign(process.env, { AUTO_TERMINAL_TEST_RUN: folder, TMPDIR: folder, ...emptyHome(folder) });
}

/**
 * Returns variables that hide the user's rc files and history from shells, and keep the settings and the cache of npm.
 */
function emptyHome(folder: string): Record<string, string> {
  const [home, user] = [join(folder, 'home'), homedir()];
  mkdirSync(home, { mode: 0o700 });
  // In a script that npm runs, both variables are already set.
  const { npm_config_userconfig = join(user, '.npmrc'), npm_config_cache = join(user, '.npm') } = process.env;
  return { HOME: home, npm_config_userconfig, npm_config_cache };
}
