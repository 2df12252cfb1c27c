import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { findOnPath } from './program-on-path.js';
import { openRunFolder } from './run-folder.js';

/** Programs whose screens the tests draw and compare, one that plays recordings, Python for an example, a browser, and shells. */
const NEEDED = [
  ...['vim', 'nano', 'less', 'htop', 'tmux', 'asciinema', 'python3', 'chromium', 'nats-server'],
  ...['zsh', 'fish', 'dash', 'mksh', 'busybox'],
];

/** Programs of other packages, whose tests are skipped where they cannot be installed. */
const WANTED: Readonly<Record<string, string>> = { groff: 'groff-base', 'systemd-analyze': 'systemd' };

function apt(...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

export default function setup({ name }: TestProject): void {
  // Units run none of them, so they run where these programs cannot be had, too.
  if (name !== 'unit') installPrograms();
  openRunFolder();
}

/** Makes sure of the programs that tests run: installs the missing as root on Debian, names them elsewhere. */
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
