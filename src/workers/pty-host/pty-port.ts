import type { TmuxCapture } from '../../contract/host-protocol.js';
import type { PtySpec } from './starter.js';

/** A program's terminal, wherever it lives: on a PTY of this process (pty.ts) or in a window of tmux (tmux/tmux-pty.ts). */
export interface PtyPort {
  /** Of the program. */
  readonly pid: number;
  /** Of the process that leads the terminal's session: the program, or what it runs under. */
  readonly leader: number;
  /** The terminal answers the queries of its program by itself: nobody else may. */
  readonly answersQueries: boolean;
  /** Input bytes taken by the terminal, or dropped at its end. */
  readonly written: number;
  readonly pendingInput: number;
  /** What {@link written} was after the last bytes that the terminal took without echoing them; 0 before any. */
  readonly hiddenEnd: number;
  /** Asks the events' allowance again: it has changed. */
  update(): void;
  write(bytes: Uint8Array): void;
  /** `resized` follows where the output has come to the new size; it does not where the terminal ends before. */
  resize(cols: number, rows: number): void;
  /** What the terminal's own screen shows; null for one that has none. Rejects with DomainError `unavailable`. */
  capture(scrollback: boolean): Promise<TmuxCapture | null>;
  /** Frees what is held for it; no event comes after it. The processes are another's matter (killer.ts). */
  close(): void;
}

export interface PtyEvents {
  /** How many bytes of output may be read now; none or less pauses the terminal, and its program blocks. */
  allowance(): number;
  /** Output; the memory is lent until the call returns. */
  output(bytes: Buffer): void;
  /** `written` has grown. */
  written(): void;
  /** What comes as output from now on was printed to this size. */
  resized(cols: number, rows: number): void;
  /**
   * The program has ended and all its output has been delivered; the terminal is closed. Null where the terminal was lost:
   * nobody knows how the program ended, or whether all its processes have.
   */
  exited(how: ProgramEnd | null): void;
}

/** How a program ended; signal 0 is none. */
export interface ProgramEnd {
  exitCode: number;
  signal: number;
}

/** Starts a program on a new terminal; throws when the system refuses. See spawn-check.ts for what to check before. */
export type OpenPty = (spec: PtySpec, events: PtyEvents) => PtyPort;
