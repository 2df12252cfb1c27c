import type { TmuxCapture } from '../../../contract/host-protocol.js';
import type { KeptDrain } from './exit-drain.js';
import type { PtySpec } from './starter.js';

/** A program's terminal, either on a PTY of this process (pty.ts) or in a window of tmux (tmux/tmux-pty.ts). */
export interface PtyPort {
  /** Pid of the program. */
  readonly pid: number;
  /** Pid of the process that leads the terminal's session: the program itself, or the shell that it runs under. */
  readonly leader: number;
  /** Whether the terminal answers the queries of its program by itself, so that nothing else may answer them. */
  readonly answersQueries: boolean;
  /** Input bytes that the terminal has taken, or dropped at its end. */
  readonly written: number;
  readonly pendingInput: number;
  /** Value of {@link written} after the last bytes that the terminal may have taken without echo; 0 before any. */
  readonly hiddenEnd: number;
  /** Asks the events for their allowance again, because it has changed. */
  update(): void;
  write(bytes: Uint8Array): void;
  /** Resizes the terminal. `resized` follows where the output has the new size, unless the terminal ends before. */
  resize(cols: number, rows: number): void;
  /** Returns what the terminal's own screen shows; null if it has none. Rejects with DomainError `unavailable`. */
  capture(scrollback: boolean): Promise<TmuxCapture | null>;
  /**
   * Delivers all that the terminal's programs have printed before the call. Resolves with false if the terminal is
   * paused meanwhile, so that something may be left.
   */
  readAll(): Promise<boolean>;
  /** Returns the state with which a renewed host goes on with the terminal. Null, or no such method: it cannot. */
  keep?(): KeptPty | null;
  /** Frees the resources of the terminal; no event follows. The caller must end the processes (killer.ts). */
  close(): void;
}

export interface PtyEvents {
  /** Returns how many bytes of output may be read now; zero or less pauses the terminal, and its program blocks. */
  allowance(): number;
  /** Takes output; the memory is lent until the call returns. */
  output(bytes: Buffer): void;
  /** Called when `written` has grown. */
  written(): void;
  /** Called when the output has come to a new size: later output was printed at this size. */
  resized(cols: number, rows: number): void;
  /**
   * Called when the program has ended and all its output is delivered; the terminal is closed. `how` is null if the
   * terminal was lost: how the program ended, and whether all its processes did, is unknown.
   */
  exited(how: ProgramEnd | null): void;
}

/** How a program ended; `signal` is 0 if no signal ended it. */
export interface ProgramEnd {
  exitCode: number;
  signal: number;
}

/** A PTY as the program that renews the host hands it to itself. */
export interface KeptPty {
  /** Descriptors, which stay open; null once the program's output has ended. */
  files: { master: number; slave: number } | null;
  /** How the program has ended, if it has. */
  end: ProgramEnd | null;
  /** How far its last output has been read, if it has ended. */
  drain: KeptDrain | null;
  /** Input that was taken and not written yet; views that are lent until the next write. */
  input: Buffer[];
}

/**
 * Starts a program on a new terminal; throws when the system refuses. See spawn-check.ts for the checks that come
 * before.
 */
export type OpenPty = (spec: PtySpec, events: PtyEvents) => PtyPort;
