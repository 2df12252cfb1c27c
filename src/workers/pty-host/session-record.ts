import type { Session } from './killer.js';
import type { Ledger, LedgerEntry } from './ledger.js';

export interface SessionRecordDeps {
  ledger: Pick<Ledger, 'newName' | 'write' | 'remove'>;
  /** Ends what is left of a terminal's processes; `done` is called once they have gone. */
  kill(session: Session, done: () => void): void;
}

/** What an earlier host has written down of a terminal. */
export interface LeftSession {
  name: string;
  session: Session;
  hasSession: boolean;
}

type Described = Omit<LedgerEntry, 'session' | 'hasSession' | 'isListed'>;

/** The processes of one terminal, and its record for the next host, which stays until they have gone. */
export class SessionRecord {
  readonly session: Session;
  readonly #deps: SessionRecordDeps;
  readonly #describe: () => Described;
  readonly #name: string;
  /** Processes may run, and end with the terminal. */
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

  /** The terminal is as `describe` tells now. */
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

  /** The program has ended by itself: whatever it has left running goes on. */
  release(): void {
    this.#hasSession = false;
    this.write();
  }

  /** Ends the processes, if that has not begun. */
  end(): void {
    if (this.#hasSession && !this.#isEnding) {
      this.#isEnding = true;
      this.#deps.kill(this.session, () => this.release());
    }
    this.write();
  }

  /** Nobody can see the terminal any more; its processes end. */
  unlist(): void {
    this.#isListed = false;
    this.end();
  }
}
