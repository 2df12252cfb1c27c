import { KILL_GRACE_MS } from '../../../contract/limits.js';
import type { ProcessEntry, ProcessTree } from './process-tree.js';

/** First and longest pause between two scans for remaining processes. */
const FIRST_LOOK_MS = 20;
const MAX_LOOK_MS = 250;

/** Milliseconds after the grace period: a process that SIGKILL has not ended by then hangs in the kernel, and is left. */
const GIVE_UP_MS = 1_000;

/** A terminal's session: the pid of its leader, and when the leader started. */
export interface Session {
  leader: number;
  startedAt: string | null;
}

interface Doomed extends Session {
  /** On the clock of performance.now: processes get SIGHUP before this time and SIGKILL after it. */
  graceUntil: number;
  /** Whether the groups that the first successful scan found have been sent SIGHUP. */
  isHungUp: boolean;
  /** Whether a gradual scan has found none of its processes. */
  seemsGone: boolean;
  /** For a session of an earlier host: returns whether processes belong to the session although its leader is gone. */
  isOwn?: ((members: readonly ProcessEntry[]) => boolean) | undefined;
  /** Called once all its processes are gone. */
  done(): void;
}

/** Processes by session and by their own pid, since a program may not have created its session yet. */
type BySession = ReadonlyMap<number, readonly ProcessEntry[]>;

/**
 * Returns the processes of `session`. Its leader counts even before it has created the session (a fork takes a moment).
 * A session's number stays taken as long as any process is in the session. Once all are gone, another session can reuse
 * the number; its leader then started at another time.
 */
export function membersOf(session: Session, processes: readonly ProcessEntry[]): ProcessEntry[] {
  const leader = processes.find((entry) => entry.pid === session.leader);
  if (leader && session.startedAt !== null && leader.startedAt !== session.startedAt) return [];
  return processes.filter((entry) => entry.session === session.leader || entry === leader);
}

function ownMembersOf(doomed: Doomed, processes: readonly ProcessEntry[]): ProcessEntry[] {
  const members = membersOf(doomed, processes);
  const isKnown = !doomed.isOwn || members.some(({ pid }) => pid === doomed.leader);
  return isKnown || doomed.isOwn?.(members) ? members : [];
}

function bySession(entries: readonly ProcessEntry[]): BySession {
  const groups = new Map<number, ProcessEntry[]>();
  for (const entry of entries) {
    for (const key of new Set([entry.session, entry.pid])) {
      const group = groups.get(key);
      if (group) group.push(entry);
      else groups.set(key, [entry]);
    }
  }
  return groups;
}

/**
 * Ends the process trees of closed terminals: SIGHUP to every process group of the session, SIGKILL to all processes left
 * after KILL_GRACE_MS. The program's own group is known and is signalled at once. Scans of the process table find the
 * other groups. All closed terminals share these scans, whose pauses grow while any session is being ended.
 */
export class Killer {
  readonly #tree: ProcessTree;
  readonly #log: (message: string) => void;
  #doomed: Doomed[] = [];
  #timer: NodeJS.Timeout | null = null;
  #pause = FIRST_LOOK_MS;
  #looking = false;
  #idle: (() => void)[] = [];
  #abandoned = false;

  constructor(tree: ProcessTree, log: (message: string) => void) {
    this.#tree = tree;
    this.#log = log;
  }

  get busy(): boolean {
    return this.#doomed.length > 0;
  }

  /** Whether any process could not be killed, ever. */
  get abandoned(): boolean {
    return this.#abandoned;
  }

  /**
   * Ends a session. The program's group has been sent SIGHUP when this returns; the remaining work runs in the
   * background, and `done` is called once all processes are gone.
   */
  kill(session: Session, done = () => {}): void {
    this.#doom(session, done);
  }

  /**
   * Ends a session of an earlier host in the same way. Its number may be another session's by now, so `isOwn` decides
   * if its leader is gone.
   */
  killLeft(session: Session, done: () => void, isOwn: (members: readonly ProcessEntry[]) => boolean): void {
    this.#doom(session, done, isOwn);
  }

  #doom(session: Session, done: () => void, isOwn?: Doomed['isOwn']): void {
    if (!this.busy) this.#pause = FIRST_LOOK_MS;
    hangUp(session, this.#tree);
    const graceUntil = performance.now() + KILL_GRACE_MS;
    this.#doomed.push({ ...session, graceUntil, isHungUp: false, seemsGone: false, isOwn, done });
    this.#schedule();
  }

  /** Resolves when every killed process is gone or was given up. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.busy) this.#idle.push(resolve);
      else resolve();
    });
  }

  async #look(): Promise<void> {
    this.#timer = null;
    this.#looking = true;
    const looked = [...this.#doomed];
    const { processes, isGradual } = await this.#scan(looked);
    this.#looking = false;
    const left = looked.filter((doomed) => {
      const members = ownMembersOf(doomed, processes.get(doomed.leader) ?? []);
      if (members.length > 0) return this.#end(doomed, members);
      const isGone = doomed.seemsGone || !isGradual;
      doomed.seemsGone = true;
      if (isGone) doomed.done();
      return !isGone;
    });
    // Sessions that were added during the scan were not looked for.
    this.#doomed = [...left, ...this.#doomed.slice(looked.length)];
    this.#pause = Math.min(MAX_LOOK_MS, this.#pause * 2);
    this.#schedule();
  }

  /** Sends the signals that are due. Returns false when there is no use in looking for the session again. */
  #end(doomed: Doomed, members: readonly ProcessEntry[]): boolean {
    doomed.seemsGone = false;
    if (!doomed.isHungUp) {
      const others = members.filter(({ group }) => group !== doomed.leader);
      signalGroups(doomed, others, 'SIGHUP');
      // A stopped process handles its SIGHUP only once it continues.
      signalGroups(doomed, others, 'SIGCONT');
      doomed.isHungUp = true;
    }
    const now = performance.now();
    if (now >= doomed.graceUntil) signalGroups(doomed, members, 'SIGKILL');
    if (now < doomed.graceUntil + GIVE_UP_MS) return true;
    this.#abandoned = true;
    this.#log(`processes ${members.map((entry) => entry.pid).join(', ')} cannot be killed`);
    return false;
  }

  async #scan(sessions: readonly Session[]): Promise<{ processes: BySession; isGradual: boolean }> {
    try {
      const { entries, isGradual } = await this.#tree.scan();
      return { processes: bySession(entries), isGradual };
    } catch (error) {
      this.#log(`the process table cannot be read: ${error}`);
      // At least the leaders are known.
      const entries = sessions.map(({ leader, startedAt }) => {
        return { pid: leader, group: leader, session: leader, startedAt: startedAt ?? '' };
      });
      return { processes: bySession(entries), isGradual: false };
    }
  }

  #schedule(): void {
    if (!this.busy) {
      for (const resolve of this.#idle.splice(0)) resolve();
      return;
    }
    if (this.#looking || this.#timer) return;
    const now = performance.now();
    const nextGrace = this.#doomed.reduce(
      (soonest, { graceUntil }) => Math.min(soonest, graceUntil > now ? graceUntil - now : MAX_LOOK_MS),
      MAX_LOOK_MS,
    );
    this.#timer = setTimeout(() => void this.#look(), Math.min(this.#pause, nextGrace));
  }
}

/**
 * Sends SIGHUP, and SIGCONT for a stopped process, to the group that a session's leader started with, or to the leader
 * alone before it has created that group; does nothing if the leader is gone.
 */
export function hangUp({ leader, startedAt }: Session, tree: Pick<ProcessTree, 'startedAt'>): void {
  if (tree.startedAt(leader) !== startedAt) return;
  for (const signal of ['SIGHUP', 'SIGCONT'] as const) {
    if (!sent(-leader, signal)) sent(leader, signal);
  }
}

function signalGroups(session: Session, members: readonly ProcessEntry[], signal: NodeJS.Signals): void {
  // A leader that has not created its session yet is still in the host's own group, so signal only the leader.
  const targets = members.map((entry) => (entry.session === session.leader ? -entry.group : entry.pid));
  for (const target of new Set(targets)) sent(target, signal);
}

/** Returns false when no process gets the signal: the target is gone (ESRCH) or belongs to another user (EPERM). */
function sent(target: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(target, signal);
    return true;
  } catch (error) {
    if (!UNREACHABLE.has((error as NodeJS.ErrnoException).code)) throw error;
    return false;
  }
}

const UNREACHABLE: ReadonlySet<unknown> = new Set(['ESRCH', 'EPERM']);
