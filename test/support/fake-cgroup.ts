import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { descendantsOf } from '#dist/workers/pty-host/processes/descendants.js';
import { processInfo, residentBytes } from './processes.js';

/** Milliseconds from one look at the tree to the next; a real kernel acts at once. */
const LOOK_MS = 10;

/**
 * Number of looks after which the files of an empty group are removed; in a real tree they stay until the group is
 * removed.
 */
const LINGERING_LOOKS = 100;

/**
 * A tree of cgroup v2 in an ordinary folder that acts like a kernel: a process is in the group of its parent, the
 * processes of a group over its `memory.max` are killed and counted, `cgroup.kill` kills all, and a group without
 * processes can be removed. Its process limits and weights have no effect.
 */
export class FakeCgroup {
  readonly folder = mkdtempSync(join(tmpdir(), 'cgroup-'));
  /** Processes that are or were in each group, each with its start time, since its number may be reused. */
  readonly #members = new Map<string, Map<number, number>>();
  /** Number of looks at which each group was empty. */
  readonly #empty = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;

  /** @param controllers - names of the controllers that are delegated */
  constructor(controllers = 'cpu memory pids') {
    for (const file of ['cgroup.controllers', 'cgroup.subtree_control'])
      writeFileSync(join(this.folder, file), `${controllers}\n`);
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  /** Names of the existing groups. */
  get groups(): string[] {
    const entries = readdirSync(this.folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  }

  /** Groups of terminals, without the group by which a host tests whether groups work. */
  get terminals(): string[] {
    return this.groups.filter((name) => name.includes('term_'));
  }

  /** Whether it has seen the processes of this number of terminals, so that their memory events are counted. */
  counts(terminals: number): boolean {
    const files = this.terminals.map((name) => join(this.folder, name, 'memory.events'));
    return files.filter((file) => existsSync(file)).length === terminals;
  }

  /** Returns the content of a file of a terminal's group; '' if the file does not exist. */
  read(terminalId: string, file: string): string {
    const group = this.groups.find((name) => name.includes(terminalId));
    return group === undefined ? '' : textOf(join(this.folder, group, file));
  }

  /**
   * Whether it knows that a process is in a group. A kernel knows this at once; this tree finds the process by its
   * parent.
   */
  knows(pid: number): boolean {
    return [...this.#members.values()].some((members) => members.has(pid));
  }

  /** Whether all processes of a group have ended. The group's files may already be removed. */
  isEmpty(name: string): boolean {
    return this.#empty.has(join(this.folder, name));
  }

  remove(): void {
    clearInterval(this.#timer);
    rmSync(this.folder, { recursive: true, force: true });
  }

  #look(): void {
    for (const name of this.groups) this.#lookAt(join(this.folder, name));
  }

  #lookAt(group: string): void {
    const procs = join(group, 'cgroup.procs');
    const entered = textOf(procs).split('\n').filter(Boolean).map(Number);
    const members = this.#members.get(group) ?? new Map<number, number>();
    this.#members.set(group, members);
    for (const pid of entered) if (!members.has(pid)) members.set(pid, startOf(pid));
    for (const pid of livingOf(members))
      for (const child of descendantsOf(pid)) members.set(child, startOf(child));
    const living = livingOf(members);
    if (members.size === 0) return;
    if (living.length === 0) {
      this.#emptied(group);
      return;
    }
    this.#empty.delete(group);
    replace(procs, `${living.join('\n')}\n`);
    replace(join(group, 'cgroup.events'), 'populated 1\nfrozen 0\n');
    this.#killAtLimit(group, living);
    if (textOf(join(group, 'cgroup.kill')).trim() === '1') kill(living);
  }

  #emptied(group: string): void {
    replace(join(group, 'cgroup.events'), 'populated 0\nfrozen 0\n');
    const looks = (this.#empty.get(group) ?? 0) + 1;
    this.#empty.set(group, looks);
    if (looks < LINGERING_LOOKS) return;
    for (const file of readdirSync(group)) rmSync(join(group, file));
    this.#members.delete(group);
  }

  #killAtLimit(group: string, living: readonly number[]): void {
    const events = join(group, 'memory.events');
    if (!existsSync(events)) replace(events, 'low 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n');
    const max = Number(textOf(join(group, 'memory.max')));
    const used = living.reduce((sum, pid) => sum + residentOf(pid), 0);
    if (!(used > max)) return;
    replace(events, `low 0\nmax 9\noom 1\noom_kill ${living.length}\noom_group_kill 1\n`);
    kill(living);
  }
}

/** Returns the start time of a process; NaN, which equals no other start, if the process has ended meanwhile. */
function startOf(pid: number): number {
  return processInfo(pid)?.startTime ?? Number.NaN;
}

function livingOf(members: ReadonlyMap<number, number>): number[] {
  return [...members].flatMap(([pid, startTime]) => {
    const info = processInfo(pid);
    return info?.startTime === startTime && !/[ZX]/.test(info.state) ? pid : [];
  });
}

function residentOf(pid: number): number {
  try {
    return residentBytes(pid);
  } catch {
    return 0;
  }
}

function kill(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has ended meanwhile.
    }
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Replaces a file at once, so that a reader gets either the old text or the new text. */
function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
