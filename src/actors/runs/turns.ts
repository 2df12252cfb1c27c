import { unlessAborted } from './unless-aborted.js';

/** Has those who want the same thing take turns, in the order they came. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** How many things somebody has, or waits for. */
  get size(): number {
    return this.#last.size;
  }

  /** Does `work` once all who came before for the same `key` are through. Rejects with the signal's reason meanwhile. */
  async take<Result>(key: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key);
    let leave = () => {};
    const own = new Promise<void>((resolve) => {
      leave = resolve;
    });
    // Who gives up waiting leaves those behind still behind those before.
    const all = before ? before.then(() => own) : own;
    this.#last.set(key, all);
    void all.then(() => this.#last.get(key) === all && this.#last.delete(key));
    try {
      if (before) await unlessAborted(before, signal);
      return await work();
    } finally {
      leave();
    }
  }
}
