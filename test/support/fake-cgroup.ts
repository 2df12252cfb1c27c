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

/** How often it looks: a real kernel acts at once. */
const LOOK_MS = 10;

/** Looks after which the files of an empty group go: on a real tree they stay until the group is removed. */
const LINGERING_LOOKS = 100;

/**
 * A tree of cgroup v2 in an ordinary folder, and what a kernel does with it: processes are in the group of their parent,
 * those of a group over its `memory.max` are killed and counted, `cgroup.kill` kills all, and a group without processes can
 * be removed. Its limits of processes and its weights hold nothing.
 */
export class FakeCgroup {
  readonly folder = mkdtempSync(join(tmpdir(), 'cgroup-'));
  /** Processes that are or were in each group. */
  readonly #members = new Map<string, Set<number>>();
  /** How often each group was seen empty. */
  readonly #empty = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;

  /** @param controllers - those that are delegated */
  constructor(controllers = 'cpu memory pids') {
    for (const file of ['cgroup.controllers', 'cgroup.subtree_control'])
      writeFileSync(join(this.folder, file), `${controllers}\n`);
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  /** The names of the groups that are there. */
  get groups(): string[] {
    const entries = readdirSync(this.folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  }

  /** The groups of terminals, without that by which a host tries whether groups work. */
  get terminals(): string[] {
    return this.groups.filter((name) => name.includes('term_'));
  }

  /** Whether it has seen the processes of so many terminals, so that it counts what becomes of them. */
  counts(terminals: number): boolean {
    const files = this.terminals.map((name) => join(this.folder, name, 'memory.events'));
    return files.filter((file) => existsSync(file)).length === terminals;
  }

  /** The content of a file of the group of a terminal; '' if there is none. */
  read(terminalId: string, file: string): string {
    const group = this.groups.find((name) => name.includes(terminalId));
    return group === undefined ? '' : textOf(join(this.folder, group, file));
  }

  /** Whether it knows a process as one of a group. A kernel knows at once; this one finds it by its parent. */
  knows(pid: number): boolean {
    return [...this.#members.values()].some((members) => members.has(pid));
  }

  /** Whether all processes of a group have ended. */
  isEmpty(name: string): boolean {
    return textOf(join(this.folder, name, 'cgroup.events')).includes('populated 0');
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
    const members = this.#members.get(group) ?? new Set<number>();
    this.#members.set(group, members);
    for (const pid of entered) members.add(pid);
    for (const pid of [...members]) for (const child of descendantsOf(pid)) members.add(child);
    const living = [...members].filter(isAlive);
    if (members.size === 0) return;
    if (living.length === 0) {
      this.#emptied(group);
      return;
    }
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

function isAlive(pid: number): boolean {
  const state = processInfo(pid)?.state;
  return state !== undefined && state !== 'Z' && state !== 'X';
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
      // It has ended meanwhile.
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

/** Whoever reads the file meanwhile reads the old text or the new one. */
function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
