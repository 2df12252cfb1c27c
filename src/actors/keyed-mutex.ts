import { unlessAborted } from './abortable.js';

/** Runs work for the same key one at a time, in the order of the calls. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>();

  /** Number of keys that are in use or waited for. */
  get size(): number {
    return this.#last.size;
  }

  /**
   * Runs `work` once all earlier work for the same `key` has ended. Rejects with the signal's reason if that fires
   * before.
   */
  async take<Result>(key: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key);
    let leave = () => {};
    const own = new Promise<void>((resolve) => {
      leave = resolve;
    });
    // A caller that gives up waiting must not let later callers pass earlier callers.
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
