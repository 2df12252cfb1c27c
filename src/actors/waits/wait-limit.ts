import { DomainError } from '../../contract/errors.js';

/** Counts the activities in progress over all requests, and refuses to exceed a maximum. */
export class WaitLimit {
  readonly #most: number;
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get taken(): number {
    return this.#taken;
  }

  /**
   * Takes `count` places. Each call of the returned function gives one place back. Throws `unavailable` if there are
   * not enough places.
   */
  take(count: number): () => void {
    if (this.#taken + count > this.#most) throw new DomainError('unavailable', 'Too many waits at once');
    this.#taken += count;
    return () => {
      this.#taken--;
    };
  }

  /** Holds `count` places while `work` is in progress. Rejects with `unavailable` if there are not enough places. */
  async hold<Result>(count: number, work: () => Promise<Result>): Promise<Result> {
    const leave = this.take(count);
    try {
      return await work();
    } finally {
      for (let place = 0; place < count; place++) leave();
    }
  }
}
