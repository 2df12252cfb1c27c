import { DomainError } from '../../contract/errors.js';

/** Counts what goes on at once, over all requests, and refuses what would be too much. */
export class Places {
  readonly #most: number;
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Takes so many places, which are given back one by one. Throws `unavailable` where there are not so many. */
  take(count: number): () => void {
    if (this.#taken + count > this.#most) throw new DomainError('unavailable', 'Too many waits at once');
    this.#taken += count;
    return () => {
      this.#taken--;
    };
  }

  /** Holds so many places while the work goes on. Throws `unavailable` where there are not so many. */
  async hold<Result>(count: number, work: () => Promise<Result>): Promise<Result> {
    const leave = this.take(count);
    try {
      return await work();
    } finally {
      for (let place = 0; place < count; place++) leave();
    }
  }
}
