import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLI } from './cli.js';
import { eventually } from './processes.js';
import type { Finished } from './run-process.js';

const MANAGER = '/lib/systemd/systemd';
const RUNTIME = '/run/user/0';

/**
 * Prepares a view of the file system in which systemd believes that it has started this machine, with control groups of
 * its own, and becomes the manager. From outside, only the group and its processes are visible.
 */
const SCRIPT = `set -e
mount --make-rprivate /
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system ${RUNTIME}
chmod 700 ${RUNTIME}
umount -R /sys/fs/cgroup 2>/dev/null || true
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir "/sys/fs/cgroup/$1"
echo $$ > "/sys/fs/cgroup/$1/cgroup.procs"
exec ${MANAGER} --user --log-target=console
`;

/** A systemd manager for one test, of a user whose home is a folder of the test. */
export class UserManager {
  readonly home: string;
  readonly #env: NodeJS.ProcessEnv;
  #process: ChildProcess;
  #said = '';
  #group = '';
  #number = 0;

  private constructor(home: string, env: NodeJS.ProcessEnv) {
    this.home = home;
    this.#env = {
      ...{ PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, LANG: 'C.UTF-8', SHELL: '/bin/sh' },
      ...{ HOME: home, USER: 'root', LOGNAME: 'root', XDG_RUNTIME_DIR: RUNTIME, ...env },
    };
    this.#process = this.#started();
  }

  /** Reason why no manager can start here; empty if a manager can start. */
  static get missing(): string {
    if (process.platform !== 'linux' || !existsSync(MANAGER)) return 'systemd is not installed';
    const { status } = spawnSync('unshare', [
      '-m',
      'sh',
      '-c',
      'd=$(mktemp -d) && mount -t cgroup2 none "$d"',
    ]);
    return status === 0 ? '' : 'this user may not mount control groups';
  }

  /** @param envIn - returns variables of the user's shell; `home` is the user's home folder */
  static async start(envIn: (home: string) => NodeJS.ProcessEnv): Promise<UserManager> {
    const home = mkdtempSync(join(tmpdir(), 'at-user-'));
    const manager = new UserManager(home, envIn(home));
    await manager.#answers();
    return manager;
  }

  /** Ends everything that the manager has started, as at a logout. The home stays. */
  async logOut(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.run('systemctl', '--user', 'exit');
    await ended;
    removeGroup(this.#group);
  }

  /** Starts the manager again, as at a login. */
  async logIn(): Promise<void> {
    this.#process = this.#started();
    await this.#answers();
  }

  async end(): Promise<void> {
    await this.logOut();
    rmSync(this.home, { recursive: true });
  }

  /** Runs a program as the user, who is logged in. */
  run(program: string, ...args: string[]): Finished {
    const { status, stdout, stderr, error } = spawnSync(
      'nsenter',
      ['-t', String(this.#process.pid), '-m', program, ...args],
      { env: this.#env, encoding: 'utf8', timeout: 60_000 },
    );
    if (error) throw error;
    return { code: status, stdout, stderr };
  }

  /** Runs a verb of the command line. */
  verb(...args: string[]): Finished {
    return this.run(process.execPath, CLI, ...args);
  }

  /** Returns a property of a unit. */
  property(unit: string, name: string): string {
    return this.run('systemctl', '--user', 'show', '--value', `--property=${name}`, unit).stdout.trim();
  }

  #started(): ChildProcess {
    this.#number += 1;
    this.#group = `at-test-${process.pid}-${this.#number}`;
    const child = spawn('unshare', ['-m', 'sh', '-c', SCRIPT, 'sh', this.#group], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const note = (chunk: Buffer) => {
      this.#said += chunk;
    };
    child.stdout.on('data', note);
    child.stderr.on('data', note);
    return child;
  }

  async #answers(): Promise<void> {
    await eventually('the manager answers', () => {
      if (this.#process.exitCode !== null) throw new Error(`the manager has ended: ${this.#said}`);
      return this.run('systemctl', '--user', 'is-system-running').stdout.trim() === 'running';
    });
  }
}

/** Removes a control group and the groups within it. All their processes must have ended. */
function removeGroup(name: string): void {
  const root = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, , type]) => type === 'cgroup2')?.[1];
  if (root === undefined) return;
  const remove = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) remove(join(folder, entry.name));
    rmdirSync(folder);
  };
  remove(join(root, name));
}
