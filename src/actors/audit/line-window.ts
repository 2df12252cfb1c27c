import { MAX_LOGGED_REFUSALS, REFUSALS_WINDOW_MS } from '../../contract/limits.js';

/** Bounds lines about refused clients: admits at most MAX_LOGGED_REFUSALS in a window, and counts the others. */
export class LineWindow {
  readonly #onLeftOut: (count: number) => void;
  #admitted = 0;
  #leftOut = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param onLeftOut - called at the end of a window in which lines were left out, with their number */
  constructor(onLeftOut: (count: number) => void) {
    this.#onLeftOut = onLeftOut;
  }

  /** Returns whether the window has room for a line. The first line opens the window. */
  admit(): boolean {
    this.#timer ??= setTimeout(() => this.end(), REFUSALS_WINDOW_MS).unref();
    const isAdmitted = this.#admitted < MAX_LOGGED_REFUSALS;
    if (isAdmitted) this.#admitted++;
    else this.#leftOut++;
    return isAdmitted;
  }

  /** Ends the window. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const leftOut = this.#leftOut;
    this.#admitted = 0;
    this.#leftOut = 0;
    if (leftOut > 0) this.#onLeftOut(leftOut);
  }
}
