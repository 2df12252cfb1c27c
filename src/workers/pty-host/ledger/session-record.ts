import type { Session } from '../processes/killer.js';
import type { Ledger, LedgerEntry } from './ledger.js';

export interface SessionRecordDeps {
  ledger: Pick<Ledger, 'newName' | 'write' | 'remove'>;
  /** Ends what is left of a terminal's processes; `done` is called once they have gone. */
  kill(session: Session, done: () => void): void;
}

/** What an earlier host recorded of a terminal, or this host before it was renewed. */
export interface LeftSession {
  name: string;
  session: Session;
  hasSession: boolean;
}

type Described = Omit<LedgerEntry, 'session' | 'hasSession' | 'isListed'>;

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

  constructor(session: Session, describe: () => Described, deps: SessionRecordDeps, left?: LeftSession) {
    this.session = session;
    this.#describe = describe;
    this.#deps = deps;
    this.#name = left?.name ?? deps.ledger.newName();
    this.#hasSession = left?.hasSession ?? true;
  }

  /** Returns what the record of a renewed host begins with. */
  keep(): LeftSession {
    return { name: this.#name, session: this.session, hasSession: this.#hasSession };
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
    ledger.write(this.#name, { ...entry, session, hasSession: this.#hasSession, isListed: this.#isListed });
  }

  /** Gives the processes up: all are gone, or the program ended by itself and whatever it left running may go on. */
  release(): void {
    this.#hasSession = false;
    this.write();
  }

  /** Ends the processes, unless that has begun. */
  end(): void {
    if (this.#hasSession && !this.#isEnding) {
      this.#isEnding = true;
      this.#deps.kill(this.session, () => this.release());
    }
    this.write();
  }

  /** Hides the terminal from clients for good, and ends its processes. */
  unlist(): void {
    this.#isListed = false;
    this.end();
  }
}
