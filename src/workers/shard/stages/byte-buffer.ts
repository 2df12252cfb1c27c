/** Most marks are shorter than this. */
const INITIAL_BYTES = 256;

const EMPTY = Buffer.alloc(0);

/** Bytes collected piece by piece, without an allocation per piece. */
export class ByteBuffer {
  /** No memory while the buffer is empty, as most buffers are most of the time. */
  #memory = EMPTY;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#memory.length) {
      const larger = Buffer.alloc(Math.max(length, INITIAL_BYTES, 2 * this.#memory.length));
      larger.set(this.#memory.subarray(0, this.#length));
      this.#memory = larger;
    }
    this.#memory.set(bytes, this.#length);
    this.#length = length;
  }

  /** Returns a copy of the bytes, which later appends do not change. */
  copy(): Buffer {
    return Buffer.from(this.#memory.subarray(0, this.#length));
  }

  clear(): void {
    this.#length = 0;
    this.#memory = EMPTY;
  }
}
