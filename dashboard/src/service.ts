import { AutoTerminal, DisconnectedError } from '../../src/client/browser.js';
import { wordsOfRefusal } from './refusals.js';

/** The service that serves this page. */
export const service = AutoTerminal.connect({ url: location.origin });

/** Returns the words for a person on an error: the meaning of a refusal for people, else the service's own words. */
export function wordsOf(error: unknown): string {
  const refusal = wordsOfRefusal(error);
  if (refusal !== undefined) return refusal;
  return error instanceof Error ? error.message : String(error);
}

/** Whether an action may have taken effect although it has failed: its answer was lost. */
export function mayBeDone(error: unknown): boolean {
  return error instanceof DisconnectedError;
}
