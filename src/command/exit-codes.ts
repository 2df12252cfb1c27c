import {
  ApiError,
  AutoTerminalError,
  BusyError,
  ConflictError,
  DeniedError,
  DisconnectedError,
  NoServiceError,
  NotFoundError,
  TimedOutError,
} from '../client/index.js';

/** Exit codes of the command; a verb that runs a program ends with that program's own code. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  denied: 4,
  conflict: 5,
  noService: 7,
  tryAgain: 75,
  timedOut: 124,
  /** A verb that runs a program has failed by itself. */
  ownFailure: 125,
  notExecutable: 126,
  /** There is no such program. */
  noProgram: 127,
  /** A verb that runs a program has lost the reader of its output. 128 + 13, as for a program that SIGPIPE ends. */
  unread: 141,
} as const;

/** Failure of a command, with its exit code. */
export class CommandError extends AutoTerminalError {
  readonly exitCode: number;

  constructor(exitCode: number, code: string, message: string, fix?: string) {
    super(code, message, { fix });
    this.exitCode = exitCode;
  }
}

/** Wrong arguments. */
export function usageError(message: string, fix?: string): CommandError {
  return new CommandError(EXIT.usage, 'usage', message, fix);
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  if (error instanceof NotFoundError) return EXIT.notFound;
  if (error instanceof DeniedError) return EXIT.denied;
  if (error instanceof ConflictError) return EXIT.conflict;
  if (error instanceof NoServiceError) return EXIT.noService;
  // It may have taken effect, so that another try would type twice.
  if (error instanceof DisconnectedError) return EXIT.failed;
  if (error instanceof BusyError && error.code === 'outcome-unknown') return EXIT.failed;
  if (error instanceof BusyError) return EXIT.tryAgain;
  if (error instanceof TimedOutError) return EXIT.timedOut;
  // The service refuses arguments that it alone can check.
  if (error instanceof ApiError && error.status === 400) return EXIT.usage;
  return EXIT.failed;
}

/** Returns the exit code by which a shell reports the end of a program: 128 plus the signal's number if a signal ended it. */
export function shellCode(
  exitCode: number | null,
  signal: string | null,
  numbers: Record<string, number>,
): number {
  if (exitCode !== null) return exitCode;
  if (signal === null) return EXIT.ownFailure;
  // A real-time signal has no name of its own.
  const number = numbers[signal] ?? (Number(/^SIG(\d+)$/.exec(signal)?.[1]) || undefined);
  return number === undefined ? EXIT.ownFailure : 128 + number;
}
