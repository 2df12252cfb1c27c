import { DisconnectedError, Typist } from '../../../src/client/browser.js';
import { say } from '../parts/toasts.js';
import { wordsOf } from '../service.js';
import type { Missed } from './session-state.js';

/** How long typed text is still sent once the window shows the terminal no longer. */
const LEAVE_MS = 30_000;

/** Types for the person at a window, also what was typed last before the window shows another page. */
export class WindowTypist {
  readonly #typist: Typist;
  #isLeft = false;

  /** @param onMissed - called when typed texts do not arrive, until {@link leave} */
  constructor(type: (text: string) => Promise<void>, onMissed: (missed: Missed) => void) {
    this.#typist = new Typist(type, (texts, error) => {
      const missed = missedBy(texts, error);
      if (this.#isLeft) sayMissed(missed);
      else onMissed(missed);
    });
  }

  /** Whether typed text can be sent; false at first. */
  set isOpen(isOpen: boolean) {
    this.#typist.isOpen = isOpen;
  }

  /** Whether typed text has not arrived yet. */
  get isTyping(): boolean {
    return this.#typist.typing !== undefined;
  }

  type(text: string): void {
    this.#typist.type(text);
  }

  /** Gives up what is not sent yet. */
  drop(): void {
    this.isOpen = false;
  }

  /**
   * Resolves once everything that was typed is sent, or was given up; after a while also if the service does not answer.
   * Call when the window shows the terminal no longer.
   */
  async leave(): Promise<void> {
    this.#isLeft = true;
    let late: ReturnType<typeof setTimeout> | undefined;
    const isLate = new Promise<void>((resolve) => {
      late = setTimeout(resolve, LEAVE_MS);
    });
    await Promise.race([this.#typist.typing, isLate]);
    clearTimeout(late);
    this.drop();
  }
}

function missedBy(texts: number, error: unknown): Missed {
  if (error instanceof DisconnectedError) return { unknown: texts };
  return { unsent: texts, refusal: error === undefined ? undefined : wordsOf(error) };
}

function sayMissed(missed: Missed): void {
  const words = 'unknown' in missed ? 'may not have reached' : 'did not reach';
  const why = 'refusal' in missed && missed.refusal !== undefined ? `: ${missed.refusal}` : '';
  say(`What you typed last ${words} the terminal that you have left${why}`, true);
}
