import { BusyError, DisconnectedError, NoServiceError } from './errors.js';

/** Whether a stream whose connection has failed so connects again. Errors of the caller's own functions end it. */
export function mayReconnect(error: unknown): boolean {
  return error instanceof NoServiceError || error instanceof DisconnectedError || error instanceof BusyError;
}
