import { Typist } from '../../../src/client/browser.js';

/** How long typed text is still sent once the window shows the terminal no longer. */
const LEAVE_MS = 30_000;

type OnMissed = (texts: number, error?: unknown) => void;

/** Types for the person at a window, also what was typed last before the window shows another page. */
export class WindowTypist {
  readonly #typist: Typist;
  #isLeft = false;

  /**
   * @param onMissed - called when typed texts do not arrive, as by {@link Typist}
   * @param onMissedLate - called for these from {@link leave} on
   */
  constructor(type: (text: string) => Promise<void>, onMissed: OnMissed, onMissedLate: OnMissed) {
    this.#typist = new Typist(type, (texts, error) => {
      if (this.#isLeft) onMissedLate(texts, error);
      else onMissed(texts, error);
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
