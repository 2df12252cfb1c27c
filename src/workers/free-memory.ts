import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** Smaller buffers are left to the garbage collector, because freeing them here takes longer. */
const MIN_FREED_BYTES = 4 * 1024;

/**
 * Frees the memory of buffers at once. Left to the garbage collector, a flood's buffers would force a collection of the
 * whole heap for each few dozen MB: V8 only counts memory outside its heap, and finds out too late that it is unused.
 */
export class FreeMemory {
  /** A closed port: a buffer that is transferred to it leaves this thread, arrives nowhere, and is freed. */
  readonly #nowhere: MessagePort;

  constructor() {
    this.#nowhere = new MessageChannel().port1;
    this.#nowhere.close();
  }

  free(memory: ArrayBuffer): void {
    if (memory.byteLength >= MIN_FREED_BYTES) this.#nowhere.postMessage(undefined, [memory]);
  }

  /** Frees the memory of a view that has no other user. */
  freeAll({ buffer, byteLength }: Uint8Array): void {
    // Small buffers share the memory of a pool, which must stay.
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) this.free(buffer);
  }
}
