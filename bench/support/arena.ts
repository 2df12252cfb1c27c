/** Enough for what a socket gives at once. */
const READ_BYTES = 256 * 1024;

/** What a client receives, kept in one piece of memory that is read into without copying; or only counted. */
export class Arena {
  #memory = Buffer.alloc(READ_BYTES);
  #keeps = false;
  /** Bytes received. */
  length = 0;

  /** Begins anew. With `bytes` of room everything is kept, with none only counted. */
  reset(bytes: number): void {
    this.length = 0;
    this.#keeps = bytes > 0;
    // Filled here: the first touch of fresh memory costs time, which would be counted against who sends.
    if (bytes + READ_BYTES > this.#memory.length) this.#memory = Buffer.alloc(bytes + READ_BYTES, 1);
  }

  /** Where the next bytes go. */
  room(): Buffer {
    const at = this.#keeps ? this.length : 0;
    if (at + READ_BYTES > this.#memory.length)
      throw new Error(`more came than the ${at} bytes that were expected`);
    return this.#memory.subarray(at, at + READ_BYTES);
  }

  /** Takes bytes that come in memory of their own. */
  take(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const copied = bytes.copy(this.room(), 0, at);
      this.length += copied;
      at += copied;
    }
  }

  /** What was kept. */
  get bytes(): Buffer {
    if (!this.#keeps) throw new Error('nothing was kept');
    return this.#memory.subarray(0, this.length);
  }
}
