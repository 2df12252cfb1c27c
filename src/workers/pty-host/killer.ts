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
  /** Epoch milliseconds: SIGHUP before, SIGKILL from then on. */
  graceUntil: number;
}

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

/**
 * Ends the process trees of closed terminals: SIGHUP to every process group of the session, SIGKILL to what is
 * left after KILL_GRACE_MS. All terminals that are closed in one loop turn share one look at the process table.
 */
export class Killer {
  readonly #tree: ProcessTree;
  readonly #log: (message: string) => void;
  #fresh: { session: Session; hungUp: () => void }[] = [];
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
    return this.#fresh.length > 0 || this.#doomed.length > 0;
  }

  /** A process could not be killed, ever. */
  get abandoned(): boolean {
    return this.#abandoned;
  }

  /** Resolves when SIGHUP has been sent; the rest goes on in the background. */
  kill(session: Session): Promise<void> {
    this.#pause = FIRST_LOOK_MS;
    return new Promise((hungUp) => {
      if (this.#fresh.push({ session, hungUp }) === 1) setImmediate(() => void this.#hangUp());
    });
  }

  /** Resolves when every killed process has gone, or was given up. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.busy) this.#idle.push(resolve);
      else resolve();
    });
  }

  async #hangUp(): Promise<void> {
    const processes = await this.#scan(this.#fresh.map(({ session }) => session));
    const fresh = this.#fresh;
    this.#fresh = [];
    const graceUntil = Date.now() + KILL_GRACE_MS;
    for (const { session, hungUp } of fresh) {
      const members = membersOf(session, processes);
      signalGroups(session, members, 'SIGHUP');
      // A stopped process takes its SIGHUP only once it goes on.
      signalGroups(session, members, 'SIGCONT');
      this.#doomed.push({ ...session, graceUntil });
      hungUp();
    }
    this.#schedule();
  }

  async #look(): Promise<void> {
    this.#looking = true;
    const processes = await this.#scan(this.#doomed);
    this.#looking = false;
    const now = Date.now();
    this.#doomed = this.#doomed.filter((doomed) => {
      const members = membersOf(doomed, processes);
      if (members.length === 0) return false;
      if (now >= doomed.graceUntil) signalGroups(doomed, members, 'SIGKILL');
      if (now < doomed.graceUntil + GIVE_UP_MS) return true;
      this.#abandoned = true;
      this.#log(`processes ${members.map((entry) => entry.pid).join(', ')} can not be killed`);
      return false;
    });
    this.#schedule();
  }

  async #scan(sessions: readonly Session[]): Promise<ProcessEntry[]> {
    try {
      return await this.#tree.scan();
    } catch (error) {
      this.#log(`process table can not be read: ${error}`);
      // At least the leaders are known.
      return sessions.map(({ leader, startedAt }) => {
        return { pid: leader, group: leader, session: leader, startedAt: startedAt ?? '' };
      });
    }
  }

  #schedule(): void {
    if (!this.busy) {
      for (const resolve of this.#idle.splice(0)) resolve();
      return;
    }
    if (this.#looking || this.#doomed.length === 0) return;
    if (this.#timer) clearTimeout(this.#timer);
    const now = Date.now();
    const nextGrace = Math.min(
      ...this.#doomed.map((doomed) => (doomed.graceUntil > now ? doomed.graceUntil - now : MAX_LOOK_MS)),
    );
    this.#timer = setTimeout(() => void this.#look(), Math.min(this.#pause, nextGrace));
    this.#pause = Math.min(MAX_LOOK_MS, this.#pause * 2);
  }
}

function signalGroups(session: Session, members: readonly ProcessEntry[], signal: NodeJS.Signals): void {
  // A leader that has not made its session yet is still in the host's own group: only itself may be signalled.
  const targets = members.map((entry) => (entry.session === session.leader ? -entry.group : entry.pid));
  for (const target of new Set(targets)) {
    try {
      process.kill(target, signal);
    } catch {
      // Gone (ESRCH), or another user's (EPERM): nothing to be done about either.
    }
  }
}
