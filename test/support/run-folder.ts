import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Path of the script that cleans up after a run. */
export const SWEEP = new URL('sweep.bash', import.meta.url).pathname;

/**
 * Gives the test run a temporary folder of its own, which all its processes inherit in TMPDIR. A process beside the run
 * kills what is left of these and removes the folder once the run has ended, also by a signal.
 */
export function openRunFolder(): void {
  // Each project of the run calls this.
  if (process.env.AUTO_TERMINAL_TEST_RUN) return;
  const folder = mkdtempSync(join(tmpdir(), 'at-run-'));
  // Tests that become another user work in it, too.
  chmodSync(folder, 0o1777);
  // Without a tie to the run, so that Ctrl+C does not reach it.
  const sweeper = spawn(SWEEP, [folder], { detached: true, stdio: ['pipe', 'ignore', 'inherit'] });
  sweeper.unref();
  (sweeper.stdin as Socket).unref();
  Object.assign(process.env, { AUTO_TERMINAL_TEST_RUN: folder, TMPDIR: folder });
}
