import { STORE_JOIN_MS } from '../contract/limits.js';

/** Writes that wait for another one to be committed with. */
export class JoiningWrites {
  #waiting: Array<() => void> = [];
  #timer: NodeJS.Timeout | undefined;

  /** Adds a write, which is started after STORE_JOIN_MS at the latest. Settles as the write does. */
  add<T>(start: () => Promise<T>): Promise<T> {
    this.#timer ??= setTimeout(() => this.start(), STORE_JOIN_MS);
    return new Promise((resolve) => this.#waiting.push(() => resolve(start())));
  }

  /** Starts all of them, in the order in which they were added. */
  start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const start of waiting) start();
  }
}
