import { DisconnectedError } from '../../../src/client/browser.js';
import { say } from '../parts/toasts.js';
import { wordsOf } from '../service.js';
import type { Missed } from './session-state.js';

/** Returns how many typed texts did not arrive, and why, for the state of a session. */
export function missedBy(texts: number, error: unknown): Missed {
  if (error instanceof DisconnectedError) return { unknown: texts };
  return { unsent: texts, refusal: error === undefined ? undefined : wordsOf(error) };
}

/** Tells a person that text did not arrive in a terminal that the window shows no longer. */
export function sayMissed(texts: number, error: unknown): void {
  const missed = missedBy(texts, error);
  const words = 'unknown' in missed ? 'may not have reached' : 'did not reach';
  const why = 'refusal' in missed && missed.refusal !== undefined ? `: ${missed.refusal}` : '';
  say(`What you typed last ${words} the terminal that you have left${why}`, true);
}
