import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { setPriority } from 'node:os';
import { ATTENDED_MS, AUTOGROUP_RETRY_MS, MAX_ATTENDED } from '../../../contract/limits.js';
import { lengthenTimeSlice, shortenTimeSlice } from '../../time-slice.js';
import { descendantsOf } from './descendants.js';
import type { Session } from './killer.js';
import { foregroundOf, leadsItsSession } from './process-tree.js';

/** Which nice value decides a program's share of the CPUs: that of its session, or that of each process. */
export type DecidedBy = 'session' | 'process';

export interface NicenessDeps {
  decidedBy: DecidedBy;
  /** Returns whether the session's leader is still the same process, and has created its session. */
  leads(session: Session): boolean;
  /** Sets the nice value of the session of `leader`. Throws as a system call does. */
  setSession(leader: number, nice: number): void;
  /** Sets the nice value of one process. Throws as a system call does. */
  setProcess(pid: number, nice: number): void;
  /** Gives a process the shortest time slice, so that it runs at once when it wakes up, or a long one. */
  setSlice(pid: number, slice: 'shortest' | 'long'): void;
  /** Returns the first process of the job in the foreground of the terminal of this session; null if there is none. */
  foreground(leader: number): number | null;
  /** Yields the processes that descend from this one, each before its own children are looked up. */
  descendants(pid: number): Iterable<number>;
  log(message: string): void;
}

interface Waiting {
  session: Session;
  nice: number;
}

/** Errors for a process that is gone, or that is another user's (sudo, for one): nothing can be done then. */
const OUT_OF_REACH: ReadonlySet<unknown> = new Set(['ENOENT', 'ESRCH', 'EINVAL', 'EACCES', 'EPERM']);

/**
 * Sets the nice values of terminals' programs. Linux takes some ten changes of sessions a second from all unprivileged
 * users together. A refused change is tried again, the newest first, since users look at the newest program.
 */
export class Niceness {
  readonly #deps: NicenessDeps;
  /** Changes that are still due, the newest last. */
  readonly #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | null = null;
  /** Nice values that this service has set, by session. */
  readonly #given = new WeakMap<Session, number>();
  /** Sessions that were typed into, and whether input has come since the last look. */
  readonly #attended = new Map<Session, boolean>();

  constructor(deps: NicenessDeps) {
    this.#deps = deps;
  }

  /**
   * Gives long time slices to `pid` and the processes that it has started by now, and a second later again to its
   * session's processes. Sets the nice value of the session where sessions decide, else of its leader and `pid`. Nice 0
   * changes nothing.
   */
  set(session: Session, pid: number, nice: number): void {
    if (nice === 0) return;
    this.#given.set(session, nice);
    this.#lengthenSlices(pid);
    this.#lengthenSlicesLater(session);
    if (this.#deps.decidedBy === 'session') {
      this.#waiting.push({ session, nice });
      this.#trySessions();
      return;
    }
    for (const each of new Set([session.leader, pid])) {
      this.#attempt(() => this.#deps.setProcess(each, nice));
    }
  }

  /** Returns the nice value that was set for the session; 0 if none. */
  of(session: Session): number {
    return this.#given.get(session) ?? 0;
  }

  /**
   * Halves the nice value of a session for a moment, if sessions decide, and lets its leader and the program in its
   * foreground run at once: input was typed into its terminal, and somebody waits for their output. Where each process
   * decides, its nice value stays, since only root can lower it again.
   */
  attend(session: Session): void {
    const nice = this.#given.get(session);
    if (nice === undefined) return;
    if (this.#attended.has(session)) {
      this.#attended.set(session, true);
      return;
    }
    const { decidedBy, leads, setSession, setSlice, foreground } = this.#deps;
    const { leader } = session;
    const isBusy = this.#waiting.length > 0 || this.#attended.size >= MAX_ATTENDED;
    if (isBusy || !leads(session)) return;
    const half = Math.floor(nice / 2);
    // Where the kernel refuses it for now, the next input tries again.
    if (decidedBy === 'session' && this.#attempt(() => setSession(leader, half)) !== undefined) return;
    for (const pid of new Set([leader, foreground(leader) ?? leader])) setSlice(pid, 'shortest');
    this.#attended.set(session, false);
    this.#leaveLater(session, nice);
  }

  #leaveLater(session: Session, nice: number): void {
    setTimeout(() => {
      if (this.#attended.get(session)) {
        this.#attended.set(session, false);
        this.#leaveLater(session, nice);
        return;
      }
      this.#attended.delete(session);
      const { decidedBy, leads } = this.#deps;
      if (!leads(session)) return;
      // The children of a program with the shortest slice start with the default slice.
      this.#lengthenSlices(session.leader);
      if (decidedBy !== 'session') return;
      this.#waiting.push({ session, nice });
      this.#trySessions();
    }, ATTENDED_MS).unref();
  }

  /**
   * Finds the programs that were being started while the slices were set: fork(2) copies the slice some time before the
   * kernel lists the new process.
   */
  #lengthenSlicesLater(session: Session): void {
    setTimeout(() => {
      // When nobody types any more, these slices are set in any case.
      if (!this.#attended.has(session) && this.#deps.leads(session)) this.#lengthenSlices(session.leader);
    }, ATTENDED_MS).unref();
  }

  #lengthenSlices(pid: number): void {
    const { setSlice, descendants } = this.#deps;
    setSlice(pid, 'long');
    for (const each of descendants(pid)) setSlice(each, 'long');
  }

  #trySessions(): void {
    if (this.#timer) return;
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) {
      const { session, nice } = next;
      if (!this.#deps.leads(session)) continue;
      if (this.#attempt(() => this.#deps.setSession(session.leader, nice)) !== 'EAGAIN') continue;
      this.#waiting.push(next);
      this.#timer = setTimeout(() => {
        this.#timer = null;
        this.#trySessions();
      }, AUTOGROUP_RETRY_MS);
      return;
    }
  }

  /** Returns the code of the error, if any. */
  #attempt(change: () => void): string | undefined {
    try {
      change();
      return undefined;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'EAGAIN' && !OUT_OF_REACH.has(code))
        this.#deps.log(`the nice value of a program could not be set: ${message}`);
      return code;
    }
  }
}

/** Returns the niceness of the system that this process runs on. */
export function systemNiceness(log: (message: string) => void): Niceness {
  const decidedBy = process.platform === 'linux' ? decidedByOf(readFile, existsSync) : 'process';
  const setSlice = (pid: number, slice: 'shortest' | 'long') =>
    slice === 'shortest' ? shortenTimeSlice(pid) : lengthenTimeSlice(pid);
  return new Niceness({
    decidedBy,
    leads: leadsItsSession,
    setSession,
    setProcess: setPriority,
    setSlice,
    foreground: foregroundOf,
    descendants: descendantsOf,
    log,
  });
}

/** File of each control group that has CPU shares of its own; the root group does not have it. */
const SHARES_FILE = 'cpu.weight';

/**
 * Returns whose nice value decides: the session's, where the kernel groups processes by session (sched(7), autogroup) and
 * no control group with CPU shares of its own contains this process, since inside such a group the kernel ignores
 * sessions. `read` returns '' for a missing file.
 */
export function decidedByOf(read: (path: string) => string, exists: (path: string) => boolean): DecidedBy {
  if (read('/proc/sys/kernel/sched_autogroup_enabled').trim() !== '1') return 'process';
  for (const line of read('/proc/self/cgroup').split('\n')) {
    const [, controllers = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    const isDeciding =
      controllers === ''
        ? path !== '' && groupsAbove(path).some((group) => exists(`/sys/fs/cgroup${group}/${SHARES_FILE}`))
        : controllers.split(',').includes('cpu') && path !== '/';
    if (isDeciding) return 'process';
  }
  return 'session';
}

/**
 * Returns the group and all groups that contain it; for `/a/b`, these are `/a`, `/a/b` and the root as an empty path.
 */
function groupsAbove(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '');
  return names.map((_name, index) => `/${names.slice(0, index + 1).join('/')}`).concat('');
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // A kernel without this feature has no such file.
    return '';
  }
}

function setSession(leader: number, nice: number): void {
  const file = openSync(`/proc/${leader}/autogroup`, 'w');
  try {
    writeSync(file, String(nice));
  } finally {
    closeSync(file);
  }
}
