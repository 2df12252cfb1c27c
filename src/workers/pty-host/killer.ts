import { KILL_GRACE_MS } from '../../contract/limits.js';
import type { ProcessEntry, ProcessTree } from './process-tree.js';

/** First and longest pause between two looks at what is left. */
const FIRST_LOOK_MS = 20;
const MAX_LOOK_MS = 250;

/** A process that SIGKILL has not ended by this long after the grace time hangs in the kernel: it is left alone. */
const GIVE_UP_MS = 1_000;

/** A terminal's session: pid of the program that led it, and when that started. */
export interface Session {
  leader: number;
  startedAt: string | null;
}

interface Doomed extends Session {
  /** Of performance.now: SIGHUP before, SIGKILL from then on. */
  graceUntil: number;
  /** Every group that a look has found has got its SIGHUP. */
  isHungUp: boolean;
  /** A gradual look at the processes has found none of it. */
  seemsGone: boolean;
  /** Of an earlier host: whether processes are its own where its leader has gone. */
  isOwn?: ((members: readonly ProcessEntry[]) => boolean) | undefined;
  /** All its processes have gone. */
  done(): void;
}

/** The processes by session, and by their own pid: a program may not have made its session yet. */
type BySession = ReadonlyMap<number, readonly ProcessEntry[]>;

/**
 * The processes of `session`, its leader also before it has made the session (a fork takes a moment). A session's
 * number stays taken as long as anybody is in it; once all have gone it
 * can come back as another's, which then has a leader that started at another time.
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
 * Ends the process trees of closed terminals: SIGHUP to every process group of the session, SIGKILL to what is
 * left after KILL_GRACE_MS. The program's own group is known and hears of it at once; the others are found by looks at
 * the process table, which all closed terminals share and which come less often while more are closed.
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

  /** A process could not be killed, ever. */
  get abandoned(): boolean {
    return this.#abandoned;
  }

  /** The program's group has got SIGHUP when this returns; the rest goes on in the background, and `done` tells its end. */
  kill(session: Session, done = () => {}): void {
    this.#doom(session, done);
  }

  /** The same for a session that an earlier host has left, whose number may be another's by now. */
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

  /** Resolves when every killed process has gone, or was given up. */
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
    // Those that were closed meanwhile were not looked for.
    this.#doomed = [...left, ...this.#doomed.slice(looked.length)];
    this.#pause = Math.min(MAX_LOOK_MS, this.#pause * 2);
    this.#schedule();
  }

  /** False when there is no use in looking for it again. */
  #end(doomed: Doomed, members: readonly ProcessEntry[]): boolean {
    doomed.seemsGone = false;
    if (!doomed.isHungUp) {
      const others = members.filter(({ group }) => group !== doomed.leader);
      signalGroups(doomed, others, 'SIGHUP');
      // A stopped process takes its SIGHUP only once it goes on.
      signalGroups(doomed, others, 'SIGCONT');
      doomed.isHungUp = true;
    }
    const now = performance.now();
    if (now >= doomed.graceUntil) signalGroups(doomed, members, 'SIGKILL');
    if (now < doomed.graceUntil + GIVE_UP_MS) return true;
    this.#abandoned = true;
    this.#log(`processes ${members.map((entry) => entry.pid).join(', ')} can not be killed`);
    return false;
  }

  async #scan(sessions: readonly Session[]): Promise<{ processes: BySession; isGradual: boolean }> {
    try {
      const { entries, isGradual } = await this.#tree.scan();
      return { processes: bySession(entries), isGradual };
    } catch (error) {
      this.#log(`process table can not be read: ${error}`);
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

/** SIGHUP to the group that a session's leader began with, or before it has made that, to itself; none when it has gone. */
export function hangUp({ leader, startedAt }: Session, tree: Pick<ProcessTree, 'startedAt'>): void {
  if (tree.startedAt(leader) !== startedAt) return;
  for (const signal of ['SIGHUP', 'SIGCONT'] as const) {
    if (!sent(-leader, signal)) sent(leader, signal);
  }
}

function signalGroups(session: Session, members: readonly ProcessEntry[], signal: NodeJS.Signals): void {
  // A leader that has not made its session yet is still in the host's own group: only itself may be signalled.
  const targets = members.map((entry) => (entry.session === session.leader ? -entry.group : entry.pid));
  for (const target of new Set(targets)) sent(target, signal);
}

/** False when there is nobody to get it: gone (ESRCH), or another user's (EPERM). */
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
