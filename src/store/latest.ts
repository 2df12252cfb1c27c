import { setTimeout } from 'node:timers/promises';
import { LATEST_RECORD_REST_FACTOR, MAX_LATEST_RECORD_REST_MS } from '../contract/limits.js';
import type { Collection } from './store.js';

/** Id of the one record of a {@link LatestRecord} in its collection. */
const ID = 'current';

/**
 * One value that changes often and is written as a whole. While a write is in progress, only the latest value waits.
 * After a write that took long to encode, the next write waits in proportion, so that a large, constantly changing value
 * takes a small share of the thread.
 */
export class LatestRecord<T> {
  readonly #collection: Collection<T>;
  #running: Promise<void> = Promise.resolve();
  #waiting: { value: T; written: Promise<void> } | undefined;
  /** Milliseconds for which the last write blocked the thread. */
  #heldMs = 0;

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
    // A failed write does not prevent the next write; only its caller sees the failure.
    this.#running = written.catch(() => undefined).then(() => this.#rest());
    return written;
  }

  /** Resolves once no value waits or is being written, up to MAX_LATEST_RECORD_REST_MS later. */
  settled(): Promise<void> {
    return this.#running;
  }

  #writeWaiting(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (!waiting) return Promise.resolve();
    const begun = performance.now();
    const written = this.#collection.put(ID, waiting.value);
    this.#heldMs = performance.now() - begun;
    return written;
  }

  async #rest(): Promise<void> {
    const ms = Math.min(MAX_LATEST_RECORD_REST_MS, Math.floor(this.#heldMs * LATEST_RECORD_REST_FACTOR));
    if (ms > 0) await setTimeout(ms);
  }
}
