/** Limits of a flow: an amount per second, and an amount at once after a pause. */
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

  /** @param now - milliseconds of a monotonic clock */
  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
    this.#left = rate.burst;
    this.#at = now();
  }

  /** Returns whether this amount may pass now. Takes nothing. */
  has(amount: number): boolean {
    const { perSecond, burst } = this.#rate;
    const now = this.#now();
    this.#left = Math.min(burst, this.#left + ((now - this.#at) / 1000) * perSecond);
    this.#at = now;
    return this.#left >= amount;
  }

  /** Takes an amount, even more than is left. */
  take(amount: number): void {
    this.#left -= amount;
  }
}
