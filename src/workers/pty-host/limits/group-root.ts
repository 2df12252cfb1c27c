import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CONTROLLERS, type Controller, readGroup, wordsOf, writeGroup } from './group-files.js';
import { ownGroup } from './own-group.js';
import { TerminalGroup } from './terminal-group.js';

/** Group that this process moves into: a group with controllers for the groups in it must be empty itself. */
const HOST_GROUP = 'auto-terminal-host';

const PREFIX = 'auto-terminal-';
const TAG_CHARS = 8;

/** Time for a shell that enters a group and ends. */
const PROBE_MS = 5_000;

export interface GroupRootOptions {
  /** Folder in which the groups are made, delegated to this process alone; by default found from this process' own group. */
  folder?: string | undefined;
  /** Distinguishes the groups of this host and its predecessors from others; stays the same from host to host. */
  tag: string;
  /** Returns the content of a file below /proc/self. */
  readSelf?: ((name: string) => string) | undefined;
}

/** Where the control groups of terminals are made. */
export class GroupRoot {
  readonly folder: string;
  readonly #prefix: string;
  readonly #isFound: boolean;

  private constructor(folder: string, tag: string, isFound: boolean) {
    this.folder = folder;
    this.#isFound = isFound;
    this.#prefix = `${PREFIX}${createHash('sha256').update(tag).digest('hex').slice(0, TAG_CHARS)}-`;
  }

  /** Returns the place, without a change to it, or why there is none, in words. */
  static find({ folder, tag, readSelf = readSelfFile }: GroupRootOptions): GroupRoot | { missing: string } {
    if (folder !== undefined) return new GroupRoot(folder, tag, false);
    if (process.platform !== 'linux') return { missing: 'only Linux has control groups' };
    const own = ownGroup(readSelf('cgroup'), readSelf('mountinfo'));
    if ('missing' in own) return own;
    // A host that was renewed is in the group that it had moved into.
    const isMoved = basename(own.path) === HOST_GROUP;
    return new GroupRoot(isMoved ? dirname(own.path) : own.path, tag, true);
  }

  /**
   * Moves this process, which has just started and has no programs, into a group of its own, if the place was made for it
   * alone, as by systemd. Later its programs would have to be moved, too, and some may not be known as its own any more.
   */
  settle(): void {
    const pids = wordsOf(this.folder, 'cgroup.procs').map(Number);
    const isAlone = pids.length === 1 && pids[0] === process.pid;
    if (!this.#isFound || !isAlone || this.#wanted().length === 0) return;
    try {
      this.#moveOut();
    } catch {
      // This process may not change the place, which `setUp` reports once a terminal is to be limited.
    }
  }

  /**
   * Enables the controllers for the groups that are made here, and returns the available ones; or returns in words why
   * there are none.
   */
  setUp(): Set<Controller> | { missing: string } {
    const wanted = this.#wanted();
    if (wanted.length === 0)
      return { missing: `${this.folder} has none of the controllers memory, pids and cpu` };
    try {
      if (this.#isFound && this.#missing(wanted).length > 0) {
        const others = this.#moveOut();
        if (others) return others;
      }
      for (const name of this.#missing(wanted)) this.#handOn(name);
      const missing = this.#missing(wanted);
      const held = new Set(wanted.filter((name) => !missing.includes(name)));
      if (held.size === 0) return { missing: `${this.folder} hands no controller on` };
      this.#probe();
      return held;
    } catch (error) {
      return { missing: `no group can be made in ${this.folder}: ${(error as Error).message}` };
    }
  }

  /** Makes an empty group for a terminal, and returns its folder. Throws the error of the system. */
  make(id: string): string {
    const name = /^[\w-]{1,64}$/.test(id) ? id : 'terminal';
    const path = join(this.folder, `${this.#prefix}${name}-${randomBytes(4).toString('hex')}`);
    mkdirSync(path);
    return path;
  }

  /** Returns the folders of all groups of this host and of earlier hosts. */
  all(): string[] {
    return namesIn(this.folder)
      .filter((name) => name.startsWith(this.#prefix))
      .map((name) => join(this.folder, name));
  }

  #wanted(): Controller[] {
    const there = wordsOf(this.folder, 'cgroup.controllers');
    return CONTROLLERS.filter((name) => there.includes(name));
  }

  #missing(wanted: readonly Controller[]): Controller[] {
    const enabled = wordsOf(this.folder, 'cgroup.subtree_control');
    return wanted.filter((name) => !enabled.includes(name));
  }

  #handOn(name: Controller): void {
    try {
      writeGroup(this.folder, 'cgroup.subtree_control', `+${name}`);
    } catch {
      // This controller is not available; `setUp` checks which are.
    }
  }

  /** Moves this process and its programs out of the group, unless other processes are in it. */
  #moveOut(): { missing: string } | null {
    const pids = wordsOf(this.folder, 'cgroup.procs').map(Number);
    if (!pids.every(isOwn))
      return { missing: `other processes than the pty host and its programs are in ${this.folder}` };
    const group = join(this.folder, HOST_GROUP);
    mkdirSync(group, { recursive: true });
    for (const pid of pids) writeGroup(group, 'cgroup.procs', pid);
    return null;
  }

  /** Makes a shell enter a group, as programs do. Throws if it cannot. */
  #probe(): void {
    const group = new TerminalGroup(this.make('probe'));
    try {
      const script = 'echo $$ >"$1"';
      const options = { stdio: 'pipe', timeout: PROBE_MS } as const;
      execFileSync('/bin/sh', ['-c', script, 'sh', group.entry], options);
    } finally {
      group.remove();
    }
  }
}

/** Returns whether a process is this one, or descends from it. */
function isOwn(pid: number): boolean {
  for (let at = pid; at > 1; at = parentOf(at)) if (at === process.pid) return true;
  return false;
}

/** Returns 0 for a process that has ended. */
function parentOf(pid: number): number {
  const [, parent = '0'] = /^PPid:\s*(\d+)$/m.exec(readGroup(`/proc/${pid}`, 'status') ?? '') ?? [];
  return Number(parent);
}

/** Returns nothing for a folder that cannot be read: no group of this host can be in it then. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readSelfFile(name: string): string {
  try {
    return readFileSync(`/proc/self/${name}`, 'utf8');
  } catch {
    // Without /proc nothing is known of groups.
    return '';
  }
}
