import { FIRST_GROUP_LOOK_MS, KILL_GRACE_MS, MAX_GROUP_LOOK_MS } from '../../../contract/limits.js';
import type { Controller } from './group-files.js';
import { GroupRoot, type GroupRootOptions } from './group-root.js';
import { TerminalGroup } from './terminal-group.js';

/** A group whose processes are to end. */
interface Ending {
  group: TerminalGroup;
  /** On the clock of performance.now: processes get SIGHUP before this time, and are killed after it. */
  graceUntil: number;
  done(): void;
}

/** Time after which a group that cannot be emptied is left for the next look at groups that linger. */
const GIVE_UP_MS = 1_000;

export interface GroupsOptions extends GroupRootOptions {
  log(message: string): void;
}

/** The control groups of this host's terminals: makes and empties them, and removes them once they are empty. */
export class Groups {
  readonly #root: GroupRoot | { missing: string };
  readonly #log: GroupsOptions['log'];
  #controllers: ReadonlySet<Controller> | null = null;
  /** Why there were no controllers at the last attempt. */
  #missing = '';
  /** Groups of existing terminals. */
  readonly #used = new Set<string>();
  #ending: Ending[] = [];
  /** Groups whose terminals are gone, and whose processes may go on. */
  readonly #lingering = new Map<string, TerminalGroup>();
  #timer: NodeJS.Timeout | null = null;
  #pause = FIRST_GROUP_LOOK_MS;
  #idle: (() => void)[] = [];

  constructor({ log, ...options }: GroupsOptions) {
    this.#log = log;
    this.#root = GroupRoot.find(options);
  }

  /**
   * Returns the controllers by which terminals can be limited, or why there are none. The first call moves this process
   * and its programs into a group of their own, unless that has happened.
   */
  available(): ReadonlySet<Controller> | { missing: string } {
    if (this.#controllers) return this.#controllers;
    const found = 'missing' in this.#root ? this.#root : this.#root.setUp();
    if ('missing' in found) {
      if (found.missing !== this.#missing) this.#log(`terminals have no control groups: ${found.missing}`);
      this.#missing = found.missing;
      return found;
    }
    this.#controllers = found;
    this.sweep();
    return found;
  }

  /** Makes a group; call once controllers are available. Throws the error of the system. */
  make(id: string): TerminalGroup {
    if ('missing' in this.#root) throw new Error(this.#root.missing);
    return this.adopt(this.#root.make(id));
  }

  /** Takes over a group that an earlier host has made. */
  adopt(path: string): TerminalGroup {
    this.#used.add(path);
    return new TerminalGroup(path);
  }

  /** Call when this process has just started, before any terminal is there. */
  start(): void {
    if (!('missing' in this.#root)) this.#root.settle();
    this.sweep();
  }

  /** Removes the groups of earlier hosts once they are empty, except the groups of existing terminals. */
  sweep(): void {
    if ('missing' in this.#root) return;
    for (const path of this.#root.all()) if (!this.#used.has(path)) this.letGo(new TerminalGroup(path));
  }

  /** Removes a group once its last process has ended by itself. */
  letGo(group: TerminalGroup): void {
    this.#used.delete(group.path);
    if (group.remove()) return;
    this.#lingering.set(group.path, group);
    this.#hasten();
  }

  /** Ends the remaining processes of a group: SIGHUP, and after KILL_GRACE_MS the end of the whole group. */
  end(group: TerminalGroup, done: () => void): void {
    if (!group.isPopulated) {
      this.letGo(group);
      done();
      return;
    }
    group.signal('SIGHUP');
    group.signal('SIGCONT');
    this.#ending.push({ group, graceUntil: performance.now() + KILL_GRACE_MS, done });
    this.#hasten();
  }

  /** Whether processes of closed terminals are being ended. */
  get busy(): boolean {
    return this.#ending.length > 0;
  }

  /** Resolves when no processes of closed terminals are being ended. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.busy) this.#idle.push(resolve);
      else resolve();
    });
  }

  #hasten(): void {
    this.#pause = FIRST_GROUP_LOOK_MS;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#schedule();
  }

  #schedule(): void {
    if (!this.busy) for (const resolve of this.#idle.splice(0)) resolve();
    if (this.#timer || (!this.busy && this.#lingering.size === 0)) return;
    this.#timer = setTimeout(() => this.#look(), this.#pause);
    // Groups that linger must not keep the host alive: the next one removes them.
    if (!this.busy) this.#timer.unref();
  }

  #look(): void {
    this.#timer = null;
    const now = performance.now();
    this.#ending = this.#ending.filter(({ group, graceUntil, done }) => {
      if (group.isPopulated && now < graceUntil + GIVE_UP_MS) {
        if (now >= graceUntil) group.kill();
        return true;
      }
      if (group.isPopulated) this.#log(`the processes in ${group.path} cannot be killed`);
      this.letGo(group);
      done();
      return false;
    });
    for (const [path, group] of this.#lingering) if (group.remove()) this.#lingering.delete(path);
    this.#pause = Math.min(MAX_GROUP_LOOK_MS, this.#pause * 2);
    this.#schedule();
  }
}
