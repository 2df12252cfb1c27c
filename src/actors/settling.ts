import { FEED_SETTLE_MS } from '../contract/limits.js';

interface Waiting {
  /** Shards that have not answered. */
  left: number;
  resolve: () => void;
  deadline: NodeJS.Timeout;
}

/** Waits for all shards to say that they have posted what they had. */
export class Settling {
  readonly #waiting = new Map<number, Waiting>();
  #number = 0;

  /** Asks by `ask`; resolves once so many shards have answered this number, or at the deadline. */
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
