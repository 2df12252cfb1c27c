import type { Command, ExitCodeReason } from '../../contract/command.js';
import type { WaitedBy } from '../../contract/wait.js';

/** A stretch of output, up to now where it has no end. */
export interface Printed {
  start: string;
  end?: string;
}

/** How far one command has come in one terminal; kept up to date while it runs. */
export interface Progress {
  isTyped: boolean;
  isDone: boolean;
  /** How its end is told; null until that is decided. */
  waitedBy: WaitedBy | null;
  /** What the shell has started for it. */
  commands: () => readonly Command[];
  /** Earlier ones of {@link commands} are missing. */
  isCut: () => boolean;
  /** What it has printed, where no commands are told of. */
  printed: Printed | null;
  /** What its shell said of it before it ran any of it, as of an error in its syntax. */
  refusal: Printed | null;
  /** Of a terminal that has exited, its own exit code; of a shell that refused the command, its status. */
  exitCode: number | null;
  /** Why no exit code is known, where more can be said than that. */
  reason: ExitCodeReason | null;
}

export function newProgress(): Progress {
  return {
    isTyped: false,
    isDone: false,
    waitedBy: null,
    commands: () => [],
    isCut: () => false,
    printed: null,
    refusal: null,
    exitCode: null,
    reason: null,
  };
}

/** Of the command that ended last, of the terminal's program, if that has ended, or of a refusal. */
export function exitCodeOf({ isDone, commands, exitCode }: Progress): number | null {
  return isDone ? (exitCode ?? lastEnded(commands())?.exitCode ?? null) : null;
}

/** Why a command has no exit code; undefined where it has one. */
export function reasonOf(progress: Progress): ExitCodeReason | undefined {
  const { isTyped, isDone, waitedBy, reason, commands } = progress;
  if (exitCodeOf(progress) !== null) return undefined;
  if (reason) return reason;
  if (!isTyped) return 'not-typed';
  if (!isDone) return 'running';
  if (waitedBy === 'idle' || waitedBy === 'foreground') return 'untold';
  return commands().length === 0 ? 'nothing-ran' : 'untold';
}

/** Milliseconds from the first command's beginning to the end of the last one, once it is done. */
export function durationOf({ isDone, commands }: Progress): number | null {
  const [first] = isDone ? commands() : [];
  const endedAt = lastEnded(commands())?.endedAt;
  return first && endedAt ? Math.max(0, endedAt - first.startedAt) : null;
}

/** The stretches of output that are its own, in order. */
export function printedBy({ commands, printed, refusal }: Progress): Printed[] {
  const told = commands().map(({ outputCursor: { start, end } }) =>
    end === null ? { start } : { start, end },
  );
  if (refusal) return [refusal, ...told];
  return told.length === 0 && printed ? [printed] : told;
}

/** Whether its shell has run none of it. Of several lines bash refuses one, and runs the others. */
export function isRefused({ refusal, commands }: Progress): boolean {
  return refusal !== null && commands().length === 0;
}

function lastEnded(commands: readonly Command[]): Command | undefined {
  return commands.findLast(({ endedAt }) => endedAt !== null);
}
