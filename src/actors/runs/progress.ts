import type { Command, ExitCodeReason } from '../../contract/command.js';
import type { WaitedBy } from '../../contract/wait.js';

/** A range of output, given by cursors; reaches up to now where it has no end. */
export interface Printed {
  start: string;
  end?: string;
}

/** How far one command has come in one terminal; kept up to date while it runs. */
export interface Progress {
  isTyped: boolean;
  /** Whether its line was offered to a shell, which may take it at any moment from then on, or is no longer offered. */
  offer: 'none' | 'made' | 'withdrawn';
  isDone: boolean;
  /** How its end is detected; null until that is decided. */
  waitedBy: WaitedBy | null;
  /** Returns the commands that the shell has started for it. */
  commands: () => readonly Command[];
  /** Returns whether the ranges that {@link printedBy} returns by now stay, with none before them. */
  isCertain: () => boolean;
  /** Call when the ranges have changed, or have become certain, without a report of the shell. */
  tell: () => void;
  /** Returns whether the first of {@link commands} are missing. */
  isCut: () => boolean;
  /** Its output, where the shell reports no commands. */
  printed: Printed | null;
  /** Output of its shell about it before running any of it, such as a syntax error. */
  refusal: Printed | null;
  /** Exit code of the terminal's program where that has exited; status of the shell where it refused the command. */
  exitCode: number | null;
  /** Why no exit code is known, where there is a specific reason. */
  reason: ExitCodeReason | null;
}

/** @param tell - called when {@link Progress.tell} is */
export function newProgress(tell = () => {}): Progress {
  return {
    isTyped: false,
    offer: 'none',
    isDone: false,
    waitedBy: null,
    commands: () => [],
    isCertain: () => false,
    tell,
    isCut: () => false,
    printed: null,
    refusal: null,
    exitCode: null,
    reason: null,
  };
}

/** Returns the progress as of now, which no later report changes. */
export function asOfNow(progress: Progress): Progress {
  const [commands, isCut] = [progress.commands(), progress.isCut()];
  return { ...progress, commands: () => commands, isCut: () => isCut };
}

/**
 * Returns the exit code of the terminal's program or of a refusal, where that is known, else of the command that ended
 * last. Null until the run is done.
 */
export function exitCodeOf({ isDone, commands, exitCode }: Progress): number | null {
  return isDone ? (exitCode ?? lastEnded(commands())?.exitCode ?? null) : null;
}

/** Returns why a command has no exit code; undefined where it has an exit code. */
export function reasonOf(progress: Progress): ExitCodeReason | undefined {
  const { isTyped, isDone, waitedBy, reason, commands } = progress;
  if (exitCodeOf(progress) !== null) return undefined;
  if (reason) return reason;
  if (!isTyped) return 'not-typed';
  if (!isDone) return 'running';
  if (waitedBy === 'idle' || waitedBy === 'foreground') return 'untold';
  return commands().length === 0 ? 'nothing-ran' : 'untold';
}

/**
 * Returns the milliseconds from the start of the first command to the end of the last; null until the run is done, and
 * where no command has ended.
 */
export function durationOf({ isDone, commands }: Progress): number | null {
  const [first] = isDone ? commands() : [];
  const endedAt = lastEnded(commands())?.endedAt;
  return first && endedAt ? Math.max(0, endedAt - first.startedAt) : null;
}

/** Returns the ranges of output that belong to the run, in order. */
export function printedBy({ commands, printed, refusal }: Progress): Printed[] {
  const told = commands().map(({ outputCursor: { start, end } }) =>
    end === null ? { start } : { start, end },
  );
  if (refusal) return [refusal, ...told];
  return told.length === 0 && printed ? [printed] : told;
}

/**
 * Returns whether its shell has run none of it. A refusal alone does not say so: bash may refuse one of several lines,
 * and run the others.
 */
export function isRefused({ refusal, commands }: Progress): boolean {
  return refusal !== null && commands().length === 0;
}

function lastEnded(commands: readonly Command[]): Command | undefined {
  return commands.findLast(({ endedAt }) => endedAt !== null);
}
