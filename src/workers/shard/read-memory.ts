import { type Collect, garbageCollector } from '../garbage-collector.js';

/** Twice as much is unused before V8 knows it, and at 64 MiB it begins to mark the whole heap. */
const COLLECT_EVERY_BYTES = 8 * 1024 * 1024;

/**
 * Frees the memory in which output arrives while it is young. V8 counts it, but begins no small collection for it:
 * a flood would have the whole heap marked each second, which takes 1.5 s for each GB.
 */
export class ReadMemory {
  readonly #collect: Collect;
  #bytes = 0;

  constructor(collect = garbageCollector()) {
    this.#collect = collect;
  }

  /** So many bytes have arrived. */
  read(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < COLLECT_EVERY_BYTES) return;
    this.#bytes = 0;
    this.#collect({ type: 'minor' });
  }
}
