import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** Smaller buffers are left to the garbage collector, because freeing them here takes longer. */
const MIN_FREED_BYTES = 4 * 1024;

/**
 * Frees the memory of frames at once. Left to the garbage collector, a flood's frames would force a collection of the
 * whole heap for each few dozen MB: V8 only counts memory outside its heap, and finds out too late that it is unused.
 */
export class FrameMemory {
  /** A closed port: a buffer that is transferred to it leaves this thread, arrives nowhere, and is freed. */
  readonly #nowhere: MessagePort;

  constructor() {
    this.#nowhere = new MessageChannel().port1;
    this.#nowhere.close();
  }

  free(memory: ArrayBuffer): void {
    if (memory.byteLength >= MIN_FREED_BYTES) this.#nowhere.postMessage(undefined, [memory]);
  }
}

/** A frame that is written to many clients from the same memory, which is freed once the last client has taken it. */
export class SharedFrame {
  readonly bytes: Buffer;
  readonly #buffer: ArrayBuffer;
  readonly #memory: FrameMemory;
  #users = 1;

  /** The creator is the first user. */
  constructor(buffer: ArrayBuffer, memory: FrameMemory) {
    this.bytes = Buffer.from(buffer);
    this.#buffer = buffer;
    this.#memory = memory;
  }

  retain(): void {
    this.#users++;
  }

  /** Ends one use. The last release frees the bytes, so nobody may touch them after it. */
  release(): void {
    if (--this.#users === 0) this.#memory.free(this.#buffer);
  }
}
