import { DomainError } from '../../../contract/errors.js';
import type { SignalRequest } from '../../../contract/signal.js';
import type { Session } from './killer.js';
import type { ProcessEntry, ProcessTree } from './process-tree.js';

/** The processes of a terminal: its session, and the pid of its program. */
interface Programs {
  session: Session;
  pid: number;
}

/** Number of looks at a terminal whose foreground keeps changing, before it counts as having no job. */
const LOOKS = 5;

/** Signals the jobs in the foreground of terminals. */
export class ForegroundJobs {
  readonly #tree: ProcessTree;
  readonly #kill: (target: number, signal: NodeJS.Signals) => void;

  /** @param kill - sends a signal to a process, or to the process group of a negative number; throws as `process.kill` */
  constructor(tree: ProcessTree, kill: (target: number, signal: NodeJS.Signals) => void = process.kill) {
    this.#tree = tree;
    this.#kill = kill;
  }

  /**
   * Sends a signal to the process group in the foreground of a terminal. Throws DomainError `no-foreground-job`,
   * `forbidden` if all of the job belongs to other users, and `unavailable` if `isLate` or if the processes cannot be
   * listed; nothing was sent then.
   *
   * The terminal names a group by its number, also after all of its processes have gone; so the number counts only
   * while processes of this very session have it.
   */
  async signal(programs: Programs, request: SignalRequest, isLate: () => boolean): Promise<void> {
    for (let looks = 0; looks < LOOKS; looks++) {
      const job = await this.#jobOf(programs);
      if (isLate()) throw new DomainError('unavailable', 'the signal came too late');
      if (request.sparesProgram && job.some(({ pid }) => pid === programs.pid)) break;
      // From here on nothing yields the thread, so no pid can pass to another process before the signal is sent.
      const present = job.filter(({ pid, startedAt }) => this.#tree.startedAt(pid) === startedAt);
      if (present.length > 0 && this.#send(programs, present, request.signal)) return;
    }
    throw new DomainError('no-foreground-job');
  }

  /** Returns the processes of the group in the foreground. */
  async #jobOf({ session }: Programs): Promise<ProcessEntry[]> {
    if (this.#tree.startedAt(session.leader) !== session.startedAt) return [];
    const entries = await this.#tree.scan().then(
      (scan) => scan.entries,
      (error: unknown) => {
        throw new DomainError('unavailable', `the processes cannot be listed: ${error}`);
      },
    );
    // Comes after the scan, which takes its time: the foreground may have changed meanwhile.
    const group = await this.#tree.foreground(session.leader);
    return entries.filter((entry) => entry.group === group && entry.session === session.leader);
  }

  /** Returns false if all targets have gone. */
  #send({ session, pid }: Programs, job: readonly ProcessEntry[], signal: NodeJS.Signals): boolean {
    // In tmux the leader is a shell around the program, which must survive to report the program's end.
    const isWrapped = session.leader !== pid && job.some((entry) => entry.pid === session.leader);
    const others = job.filter((entry) => entry.pid !== session.leader);
    const targets = isWrapped ? others.map((entry) => entry.pid) : job.slice(0, 1).map(({ group }) => -group);
    const results = targets.map((target) => this.#sent(target, signal));
    if (results.includes('sent')) return true;
    if (results.includes('EPERM')) {
      throw new DomainError('forbidden', 'The job in the foreground belongs to another user');
    }
    return false;
  }

  #sent(target: number, signal: NodeJS.Signals): string {
    try {
      this.#kill(target, signal);
      return 'sent';
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (code !== 'ESRCH' && code !== 'EPERM') throw error;
      return code;
    }
  }
}
