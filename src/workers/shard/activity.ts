import { ACTIVITY_EVERY_MS } from '../../contract/limits.js';

/** Reports that a terminal prints, at most once in ACTIVITY_EVERY_MS. */
export class Activity {
  readonly #report: () => void;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(report: () => void) {
    this.#report = report;
  }

  /** @param now - on the clock of `performance.now` */
  printed(now: number): void {
    if (now - this.#reportedAt < ACTIVITY_EVERY_MS) return;
    this.#reportedAt = now;
    this.#report();
  }
}
