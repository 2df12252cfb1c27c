import type { HeldLimits } from '../../../contract/terminal-limits.js';
import type { Groups } from '../limits/groups.js';
import type { TerminalGroup } from '../limits/terminal-group.js';
import type { Session } from '../processes/killer.js';
import type { KeptLimits, Ledger, LedgerEntry } from './ledger.js';

export interface SessionRecordDeps {
  ledger: Pick<Ledger, 'newName' | 'write' | 'remove'>;
  /** Ends the remaining processes of a terminal; `done` is called once they have gone. */
  kill(session: Session, done: () => void): void;
  groups: Pick<Groups, 'adopt' | 'end' | 'letGo'>;
}

/** A terminal's record by an earlier host, or by this host before it was renewed. */
export interface LeftSession {
  name: string;
  session: Session;
  hasSession: boolean;
  limits?: KeptLimits | undefined;
}

/** The limits of a new terminal. */
export interface NewLimits {
  held: HeldLimits;
  group: TerminalGroup | null;
}

type Described = Omit<LedgerEntry, 'session' | 'hasSession' | 'isListed' | 'limits'>;

/**
 * The processes of one terminal, and its record on disk for the next host. The record stays until clients cannot see
 * the terminal any more and no process is left to end.
 */
export class SessionRecord {
  readonly session: Session;
  readonly #deps: SessionRecordDeps;
  readonly #describe: () => Described;
  readonly #name: string;
  /** Processes of the session may run, and must end with the terminal. */
  #hasSession: boolean;
  #isListed = true;
  #isEnding = false;
  #limits: NewLimits | null;

  constructor(
    session: Session,
    describe: () => Described,
    deps: SessionRecordDeps,
    { left, limits }: { left?: LeftSession | undefined; limits?: NewLimits | null | undefined } = {},
  ) {
    this.session = session;
    this.#describe = describe;
    this.#deps = deps;
    this.#name = left?.name ?? deps.ledger.newName();
    this.#hasSession = left?.hasSession ?? true;
    this.#limits = limits ?? adopted(left, deps);
  }

  /** The limits of the terminal that hold, if any was requested. */
  get held(): { limits?: HeldLimits } {
    return this.#limits ? { limits: this.#limits.held } : {};
  }

  /** Returns whether the kernel has killed processes of the terminal at its memory limit; empty if that is unknown. */
  outcome(): { oomKilled?: boolean } {
    const { held, group } = this.#limits ?? {};
    const kills = held?.memoryBytes == null ? null : (group?.oomKills() ?? null);
    return kills === null ? {} : { oomKilled: kills > 0 };
  }

  /** Returns the state with which the record of a renewed host begins. */
  keep(): LeftSession {
    const limits = this.#kept();
    return {
      ...{ name: this.#name, session: this.session, hasSession: this.#hasSession },
      ...(limits && { limits }),
    };
  }

  /** Writes what `describe` returns at present, or removes a record that is not needed any more. */
  write(): void {
    const { ledger } = this.#deps;
    if (!this.#isListed && !this.#hasSession) {
      ledger.remove(this.#name);
      return;
    }
    const { handle, id, pid, cols, rows, meta, exit } = this.#describe();
    const entry = { handle, id, pid, cols, rows, meta, exit };
    const { session } = this;
    const limits = this.#kept();
    ledger.write(this.#name, {
      ...{ ...entry, session, hasSession: this.#hasSession, isListed: this.#isListed },
      ...(limits && { limits }),
    });
  }

  /** Gives up the processes: all are gone, or the program ended by itself and the processes that it left may go on. */
  release(): void {
    this.#hasSession = false;
    if (this.#limits?.group) {
      this.#deps.groups.letGo(this.#limits.group);
      this.#limits = { ...this.#limits, group: null };
    }
    this.write();
  }

  /** Ends the processes, unless that has begun. */
  end(): void {
    if (this.#hasSession && !this.#isEnding) {
      this.#isEnding = true;
      this.#deps.kill(this.session, () => this.#endGroup());
    }
    this.write();
  }

  /** Ends processes that have left the session, too: a control group holds them all. */
  #endGroup(): void {
    const group = this.#limits?.group;
    if (group) this.#deps.groups.end(group, () => this.release());
    else this.release();
  }

  #kept(): KeptLimits | undefined {
    return this.#limits ? { held: this.#limits.held, group: this.#limits.group?.path ?? null } : undefined;
  }

  /** Hides the terminal from clients for good, and ends its processes. */
  unlist(): void {
    this.#isListed = false;
    this.end();
  }
}

/** A group whose processes may go on is not adopted: it is removed once it is empty. */
function adopted(
  left: LeftSession | undefined,
  { groups }: Pick<SessionRecordDeps, 'groups'>,
): NewLimits | null {
  if (!left?.limits) return null;
  const { held, group } = left.limits;
  return { held, group: group !== null && left.hasSession ? groups.adopt(group) : null };
}
