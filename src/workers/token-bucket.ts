/** How much may pass: so much each second, and so much at once after a pause. */
export interface Rate {
  perSecond: number;
  burst: number;
}

/** A budget that refills with time. */
export class TokenBucket {
  readonly #rate: Rate;
  readonly #now: () => number;
  #left: number;
  #at: number;

  /** @param now - milliseconds of a clock that never goes back */
  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
    this.#left = rate.burst;
    this.#at = now();
  }

  /** Whether so much may pass now. Nothing is taken yet. */
  has(amount: number): boolean {
    const { perSecond, burst } = this.#rate;
    const now = this.#now();
    this.#left = Math.min(burst, this.#left + ((now - this.#at) / 1000) * perSecond);
    this.#at = now;
    return this.#left >= amount;
  }

  take(amount: number): void {
    this.#left -= amount;
  }
}
