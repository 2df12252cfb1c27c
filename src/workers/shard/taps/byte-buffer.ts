/** Most marks are shorter than this. */
const INITIAL_BYTES = 256;

const EMPTY = Buffer.alloc(0);

/** Bytes that are put together piece by piece, without a piece of memory for each. */
export class ByteBuffer {
  /** None while it is empty, as most are most of the time. */
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

  /** What there is; it does not change with what is appended later. */
  copy(): Buffer {
    return Buffer.from(this.#memory.subarray(0, this.#length));
  }

  clear(): void {
    this.#length = 0;
    this.#memory = EMPTY;
  }
}
