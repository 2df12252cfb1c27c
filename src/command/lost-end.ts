import { AutoTerminalError, BusyError, DisconnectedError, NoServiceError } from '../client/index.js';
import { CommandError, EXIT } from './exit-codes.js';

/**
 * Returns the error for a program that was begun, and that the service no longer follows, as after its restart. Its exit
 * code does not ask to try again: the program would run twice.
 *
 * @param fix - where it goes on, if it does, and how to follow it
 */
export function lostEnd(error: unknown, fix: string): unknown {
  const isLost =
    error instanceof DisconnectedError || error instanceof NoServiceError || error instanceof BusyError;
  if (!isLost) return error;
  const message = `${error.message}; how the program ends is not known`;
  return new CommandError(EXIT.ownFailure, 'unknown-exit', message, fix);
}

/** Returns the error for a request to begin a program: it does not ask to try again if the program may have begun. */
export function lostBegin(error: unknown): unknown {
  const mayHaveBegun =
    error instanceof DisconnectedError ||
    (error instanceof AutoTerminalError && error.code === 'outcome-unknown');
  if (!mayHaveBegun) return error;
  return new CommandError(EXIT.ownFailure, error.code, error.message, error.fix);
}
