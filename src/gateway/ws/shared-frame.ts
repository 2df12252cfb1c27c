import type { FreeMemory } from '../../workers/free-memory.js';

/** A frame that is written to many clients from the same memory, which is freed once the last client has taken it. */
export class SharedFrame {
  readonly bytes: Buffer;
  readonly #buffer: ArrayBuffer;
  readonly #memory: FreeMemory;
  #users = 1;

  /** The creator is the first user. */
  constructor(buffer: ArrayBuffer, memory: FreeMemory) {
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
