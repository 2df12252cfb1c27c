import { AutoTerminal } from '../../src/client/browser.js';

/** The service that serves this page. */
export const service = AutoTerminal.connect({ url: location.origin });

/** Returns what to tell a person of an error: the service's own words, where they are. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
