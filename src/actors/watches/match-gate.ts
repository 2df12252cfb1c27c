const MINUTE_MS = 60_000;

/** Matches that one event reports. */
export interface Gathered {
  count: number;
  /** The latest line. */
  text: string;
}

export interface GateOptions {
  debounceMs: number;
  maxPerMinute: number;
}

/**
 * Decides when matches of one watch in one terminal become an event. The first match is reported at once; later matches are
 * gathered until the last event is `debounceMs` old, and fewer than `maxPerMinute` events were reported within a minute.
 * No match is lost: each is counted in one event.
 */
export class MatchGate {
  readonly #options: GateOptions;
  /** Times of the events of the last minute. */
  #told: number[] = [];
  #gathered: Gathered | undefined;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  add({ count, text }: Gathered): void {
    this.#gathered = { count: (this.#gathered?.count ?? 0) + count, text };
  }

  /** Returns when the next event may be reported; undefined if nothing is gathered. */
  dueAt(): number | undefined {
    if (!this.#gathered) return undefined;
    const { debounceMs, maxPerMinute } = this.#options;
    const last = this.#told.at(-1);
    const limiting = this.#told.at(-maxPerMinute);
    return Math.max(
      last === undefined ? Number.NEGATIVE_INFINITY : last + debounceMs,
      limiting === undefined ? Number.NEGATIVE_INFINITY : limiting + MINUTE_MS,
    );
  }

  /** Takes the matches to report now; undefined if there are none, or if it is too early. */
  take(now: number): Gathered | undefined {
    const due = this.dueAt();
    if (due === undefined || due > now) return undefined;
    const gathered = this.#gathered;
    this.#gathered = undefined;
    this.#told = [...this.#told.filter((at) => at > now - MINUTE_MS), now];
    return gathered;
  }

  /** Returns whether the gate can be dropped without effect on later events. */
  isIdle(now: number): boolean {
    const last = this.#told.at(-1) ?? Number.NEGATIVE_INFINITY;
    const { debounceMs } = this.#options;
    return !this.#gathered && now - last > Math.max(debounceMs, MINUTE_MS);
  }
}
