import type { Libc } from '../pty/libc.js';
import type { OnExit } from '../pty/starter.js';

const WNOHANG = 1;
const WEXITED = 4;
/** Reports a child without reaping it. */
const WNOWAIT = 0x0100_0000;
const P_ALL = 0;
/** Size of a siginfo_t, and the offset of the pid in it. */
const INFO_BYTES = 128;
const PID_AT = 16;

/** Number of looks at a foreign child that is reported first, before programs are asked for one by one. */
const MAX_LOOKS = 8;
/** Pause before the programs are asked for one by one, since that costs a call for each program. */
const AROUND_MS = 20;

type ReaperLibc = Pick<Libc, 'waitid' | 'waitpid'>;

/**
 * Reports when programs of this process have ended, and leaves other children to their owners: Node would never notice
 * the end of a child that was reaped here, and would take the next process with that pid for that child.
 *
 * The kernel reports one ended child at a time, always the same one until it is reaped. A foreign child hides the
 * programs behind it until Node reaps it in the same turn of the event loop, or forever if nobody reaps it.
 */
export class Reaper {
  readonly #libc: ReaperLibc;
  readonly #exits = new Map<number, OnExit>();
  readonly #info = Buffer.alloc(INFO_BYTES);
  readonly #status = Buffer.alloc(4);
  /** Consecutive looks at which a foreign child was reported first. */
  #looks = 0;
  #isWaiting = false;
  #adopting: NodeJS.Immediate | undefined;

  constructor(libc: ReaperLibc) {
    this.#libc = libc;
    process.on('SIGCHLD', () => this.#look());
  }

  /** Registers a program. Must be called in the turn of the event loop in which the program was started. */
  expect(pid: number, onExit: OnExit): void {
    this.#exits.set(pid, onExit);
  }

  /** Registers a program of this process that may have ended before it was registered, so that no signal follows. */
  adopt(pid: number, onExit: OnExit): void {
    this.expect(pid, onExit);
    this.#adopting ??= setImmediate(() => {
      this.#adopting = undefined;
      this.#look();
    });
  }

  /** Handles all ended children, since one signal may be for many. */
  #look(): void {
    if (this.#isWaiting) return;
    for (;;) {
      const pid = this.#ended();
      if (pid === 0) {
        this.#looks = 0;
        return;
      }
      if (!this.#exits.has(pid)) {
        this.#stepBack();
        return;
      }
      this.#take(pid);
    }
  }

  /** Returns the first child that has ended and is not reaped; 0 if there is none. */
  #ended(): number {
    this.#info.fill(0);
    const answer = this.#libc.waitid(P_ALL, 0, this.#info, WEXITED | WNOHANG | WNOWAIT);
    return answer === 0 ? this.#info.readInt32LE(PID_AT) : 0;
  }

  /** Lets the owner of a foreign child reap it first. */
  #stepBack(): void {
    this.#isWaiting = true;
    this.#looks += 1;
    if (this.#looks < MAX_LOOKS) setImmediate(() => this.#goOn(() => this.#look()));
    else setTimeout(() => this.#goOn(() => this.#goAround()), AROUND_MS);
  }

  #goOn(step: () => void): void {
    this.#isWaiting = false;
    step();
  }

  /** Reaps all programs that have ended by now; later ends bring a signal of their own. */
  #goAround(): void {
    for (const pid of this.#exits.keys()) this.#take(pid);
  }

  #take(pid: number): void {
    if (this.#libc.waitpid(pid, this.#status, WNOHANG) !== pid) return;
    const onExit = this.#exits.get(pid);
    this.#exits.delete(pid);
    const status = this.#status.readInt32LE();
    onExit?.((status >> 8) & 0xff, status & 0x7f);
  }
}
