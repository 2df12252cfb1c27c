import type { Collection } from './store.js';

/** Where the one record of a {@link LatestRecord} stands in its collection. */
const ID = 'current';

/** One value that changes often and is written as a whole: while a write is on its way, only the last one waits. */
export class LatestRecord<T> {
  readonly #collection: Collection<T>;
  #running: Promise<void> = Promise.resolve();
  #waiting: { value: T; written: Promise<void> } | undefined;

  constructor(collection: Collection<T>) {
    this.#collection = collection;
  }

  get(): T | undefined {
    return this.#collection.get(ID);
  }

  /** Resolves once this value, or a later one, is committed. */
  set(value: T): Promise<void> {
    if (this.#waiting) {
      this.#waiting.value = value;
      return this.#waiting.written;
    }
    const written = this.#running.then(() => this.#writeWaiting());
    this.#waiting = { value, written };
    // The next write follows a failed one all the same; the failure is its caller's to see.
    this.#running = written.catch(() => undefined);
    return written;
  }

  /** Resolves once nothing is waiting or being written. */
  settled(): Promise<void> {
    return this.#running;
  }

  #writeWaiting(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting ? this.#collection.put(ID, waiting.value) : Promise.resolve();
  }
}
