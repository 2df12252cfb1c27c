/** The time of a recording: milliseconds since it began, which never go back though the machine's clock may. */
export class RecordingClock {
  readonly #startedAt: number;
  /** `performance.now()` at the start, as this thread would have seen it. */
  readonly #origin: number;
  #last: number;

  /** Goes on with a recording of `startTime`, whose last event was at `last`. */
  constructor(startTime: string, last: number) {
    this.#startedAt = Date.parse(startTime);
    this.#last = last;
    this.#origin = performance.now() - Math.max(last, Date.now() - this.#startedAt);
  }

  /** Of the last event. */
  get last(): number {
    return this.#last;
  }

  now(): number {
    this.#last = Math.max(this.#last, Math.round(performance.now() - this.#origin));
    return this.#last;
  }

  /** A moment that has passed, given in epoch milliseconds; never after the present one. */
  at(epochMs: number): number {
    return Math.min(this.now(), Math.max(0, epochMs - this.#startedAt));
  }

  /** The date of a moment, given as milliseconds since the start. */
  dateOf(timestamp: number): Date {
    return new Date(this.#startedAt + timestamp);
  }
}
