import { AutoTerminal, BusyError, DisconnectedError, NoServiceError } from '../../src/client/browser.js';
import { wordsOfRefusal } from './refusals.js';

/** The service that serves this page. */
export const service = AutoTerminal.connect({ url: location.origin });

/** Whether the service, or the machine of a terminal, cannot be reached now: the same may succeed a little later. */
export function isAway(error: unknown): boolean {
  return error instanceof NoServiceError || error instanceof DisconnectedError || error instanceof BusyError;
}

/** Returns the words for a person on an error: the meaning of a refusal for people, else the service's own words. */
export function wordsOf(error: unknown): string {
  const refusal = wordsOfRefusal(error);
  if (refusal !== undefined) return refusal;
  return error instanceof Error ? error.message : String(error);
}

/** Returns the words for a person on an action that has failed: `what` was not done, as far as anybody knows. */
export function wordsOfFailure(what: string, error: unknown): string {
  const mayBeDone = error instanceof DisconnectedError;
  return `${what}${mayBeDone ? ', or it was and nobody knows' : ''}: ${wordsOf(error)}`;
}
