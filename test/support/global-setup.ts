import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { endShared } from './end-shared.js';
import { findOnPath } from './program-on-path.js';
import { openRunFolder } from './run-folder.js';

/**
 * Programs that the tests need: programs whose screens they draw and compare, a player of recordings, Python for an
 * example, a browser, a NATS server, and shells.
 */
const NEEDED = [
  ...['vim', 'nano', 'less', 'htop', 'tmux', 'asciinema', 'python3', 'chromium', 'nats-server'],
  ...['zsh', 'fish', 'dash', 'mksh', 'busybox'],
];

/** Programs by name, each with its package. A program's tests are skipped where the program cannot be installed. */
const WANTED: Readonly<Record<string, string>> = { groff: 'groff-base', 'systemd-analyze': 'systemd' };

function apt(...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Prepares the run; returns the function that ends it. */
export default function setup({ name }: TestProject): () => Promise<void> {
  // Unit tests run none of these programs, so they also run where the programs are not available.
  if (name !== 'unit') installPrograms();
  openRunFolder();
  return endShared;
}

/** Installs missing programs as root on Debian. Throws, with their names, if needed programs are still missing. */
function installPrograms(): void {
  const missing = NEEDED.filter((program) => !findOnPath(program));
  const wanted = Object.keys(WANTED).filter((program) => !findOnPath(program));
  if (missing.length + wanted.length === 0) return;
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    apt('update', '-qq');
    const packages = [...missing, ...wanted.map((program) => WANTED[program]!)];
    apt('install', '-y', '-qq', '--no-install-recommends', ...packages);
  }
  const still = missing.filter((program) => !findOnPath(program));
  if (still.length > 0) throw new Error(`The tests run these programs; please install: ${still.join(', ')}`);
}
