/** The time of a recording: milliseconds since it began. It never goes back, even if the machine's clock does. */
export class RecordingClock {
  readonly #startedAt: number;
  /** `performance.now()` at the start, on this thread's clock even if the recording began elsewhere. */
  readonly #origin: number;
  #last: number;

  /** Continues the time of a recording that began at `startTime` (ISO date) and whose latest time is `last`. */
  constructor(startTime: string, last: number) {
    this.#startedAt = Date.parse(startTime);
    this.#last = last;
    this.#origin = performance.now() - Math.max(last, Date.now() - this.#startedAt);
  }

  /** The latest time that was returned. */
  get last(): number {
    return this.#last;
  }

  now(): number {
    this.#last = Math.max(this.#last, Math.round(performance.now() - this.#origin));
    return this.#last;
  }

  /** Converts a past moment from epoch milliseconds. Returns no later time than the present. */
  at(epochMs: number): number {
    return Math.min(this.now(), Math.max(0, epochMs - this.#startedAt));
  }

  /** Returns the date of a moment; `timestamp` is in milliseconds since the start. */
  dateOf(timestamp: number): Date {
    return new Date(this.#startedAt + timestamp);
  }
}
