import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs whose screens the tests draw and compare, one that plays recordings, and shells. */
const NEEDED = [
  ...['vim', 'nano', 'less', 'htop', 'tmux', 'asciinema'],
  ...['zsh', 'fish', 'dash', 'mksh', 'busybox'],
];

function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function apt(...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Makes sure of the programs that tests run: installs the missing as root on Debian, names them elsewhere. */
export default function setup(): void {
  const missing = NEEDED.filter((program) => !isOnPath(program));
  if (missing.length === 0) return;
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    apt('update', '-qq');
    apt('install', '-y', '-qq', '--no-install-recommends', ...missing);
  }
  const still = missing.filter((program) => !isOnPath(program));
  if (still.length > 0) throw new Error(`The tests run these programs; please install: ${still.join(', ')}`);
}
