import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** Smaller memory is left to the garbage collector: giving it back takes longer than that. */
const MIN_FREED_BYTES = 4 * 1024;

/**
 * Frees the memory of frames at once. Left to the garbage collector, a flood's frames would force a collection of
 * the whole heap for each few dozen MB: V8 counts memory outside its heap, and finds out too late that it is unused.
 */
export class FrameMemory {
  /** Closed: what is transferred to it leaves this thread, arrives nowhere, and is freed. */
  readonly #nowhere: MessagePort;

  constructor() {
    this.#nowhere = new MessageChannel().port1;
    this.#nowhere.close();
  }

  free(memory: ArrayBuffer): void {
    if (memory.byteLength >= MIN_FREED_BYTES) this.#nowhere.postMessage(undefined, [memory]);
  }
}

/** A frame that is written to many clients from the same memory, which is freed once the last has taken it. */
export class SharedFrame {
  readonly bytes: Buffer;
  readonly #buffer: ArrayBuffer;
  readonly #memory: FrameMemory;
  #users = 1;

  /** Its maker is its first user. */
  constructor(buffer: ArrayBuffer, memory: FrameMemory) {
    this.bytes = Buffer.from(buffer);
    this.#buffer = buffer;
    this.#memory = memory;
  }

  retain(): void {
    this.#users++;
  }

  /** The last of them must not touch the bytes any more: they are gone. */
  release(): void {
    if (--this.#users === 0) this.#memory.free(this.#buffer);
  }
}
