import { type Collect, garbageCollector } from '../garbage-collector.js';

/** Up to twice this much memory is unused before V8 notices; at 64 MiB V8 begins to mark the whole heap. */
const COLLECT_EVERY_BYTES = 8 * 1024 * 1024;

/**
 * Frees the memory in which output arrives while that memory is young. V8 counts this memory but starts no minor
 * collection for it, so a flood would make V8 mark the whole heap each second, which takes 1.5 s per GB.
 */
export class ReadMemory {
  readonly #collect: Collect;
  #bytes = 0;

  constructor(collect = garbageCollector()) {
    this.#collect = collect;
  }

  /** Counts bytes that have arrived, and collects garbage once there are enough. */
  read(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < COLLECT_EVERY_BYTES) return;
    this.#bytes = 0;
    this.#collect({ type: 'minor' });
  }
}
