import { FEED_SETTLE_MS } from '../contract/limits.js';

interface Waiting {
  /** Number of shards that have not answered yet. */
  left: number;
  resolve: () => void;
  deadline: NodeJS.Timeout;
}

/** Waits until all shards have posted everything that they had. */
export class Settling {
  readonly #waiting = new Map<number, Waiting>();
  #number = 0;

  /**
   * Calls `ask` with a new number. Resolves once this many `shards` have answered the number, or after FEED_SETTLE_MS.
   */
  start(shards: number, ask: (number: number) => void): Promise<void> {
    const number = ++this.#number;
    return new Promise((resolve) => {
      const deadline = setTimeout(() => this.#end(number), FEED_SETTLE_MS);
      this.#waiting.set(number, { left: shards, resolve, deadline });
      ask(number);
    });
  }

  settled(number: number): void {
    const waiting = this.#waiting.get(number);
    if (waiting && --waiting.left === 0) this.#end(number);
  }

  #end(number: number): void {
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    clearTimeout(waiting?.deadline);
    waiting?.resolve();
  }
}
