import type { Libc } from './libc.js';
import type { OnExit } from './starter.js';

const WNOHANG = 1;
const WEXITED = 4;
/** Tells of a child, and leaves it to be taken. */
const WNOWAIT = 0x0100_0000;
const P_ALL = 0;
/** Of a siginfo_t, and where in it the pid stands. */
const INFO_BYTES = 128;
const PID_AT = 16;

/** How often it is looked whether somebody has taken a child that stands first, before it is gone around. */
const MAX_LOOKS = 8;
/** Going around asks for each program: not more often than this. */
const AROUND_MS = 20;

type ReaperLibc = Pick<Libc, 'waitid' | 'waitpid'>;

/**
 * Tells when programs of this process have ended, and leaves its other children to who waits for them: Node would
 * never hear of the end of one that was taken from it, and take the next process of that number for it.
 *
 * The kernel tells of one ended child at a time, always the same until it has been taken. One that is another's stands
 * before the programs, until Node takes it in this very turn of the event loop, or for ever where nobody does.
 */
export class Reaper {
  readonly #libc: ReaperLibc;
  readonly #exits = new Map<number, OnExit>();
  readonly #info = Buffer.alloc(INFO_BYTES);
  readonly #status = Buffer.alloc(4);
  /** Of children that are others', one after the other. */
  #looks = 0;
  #isWaiting = false;

  constructor(libc: ReaperLibc) {
    this.#libc = libc;
    process.on('SIGCHLD', () => this.#look());
  }

  /** To be called in the turn of the event loop in which the program was started. */
  expect(pid: number, onExit: OnExit): void {
    this.#exits.set(pid, onExit);
  }

  /** One signal may stand for many ended children. */
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

  /** The first of the children that have ended and not been taken; 0 where there is none. */
  #ended(): number {
    this.#info.fill(0);
    const answer = this.#libc.waitid(P_ALL, 0, this.#info, WEXITED | WNOHANG | WNOWAIT);
    return answer === 0 ? this.#info.readInt32LE(PID_AT) : 0;
  }

  /** Somebody else's child is to be taken by them first. */
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

  /** Takes all programs that have ended by now; later ends bring a signal of their own. */
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
