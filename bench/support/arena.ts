/** Room for one read from a socket. */
const READ_BYTES = 256 * 1024;

/** Memory for a client's input: kept in one buffer that sockets read into without copying, or only counted. */
export class Arena {
  #memory = Buffer.alloc(READ_BYTES);
  #keeps = false;
  /** Bytes received. */
  length = 0;

  /** Starts again. Keeps everything, up to `bytes`; with 0, only counts. */
  reset(bytes: number): void {
    this.length = 0;
    this.#keeps = bytes > 0;
    // Filled here, since the first access to new memory costs time, which would count against the sender.
    if (bytes + READ_BYTES > this.#memory.length) this.#memory = Buffer.alloc(bytes + READ_BYTES, 1);
  }

  /** Returns the memory for the next bytes. Throws if there is no room left. */
  room(): Buffer {
    const at = this.#keeps ? this.length : 0;
    if (at + READ_BYTES > this.#memory.length)
      throw new Error(`more came than the expected bytes: there is no room after ${at}`);
    return this.#memory.subarray(at, at + READ_BYTES);
  }

  /** Copies bytes from other memory into this memory. */
  take(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const copied = bytes.copy(this.room(), 0, at);
      this.length += copied;
      at += copied;
    }
  }

  /** The kept bytes. Throws if nothing is kept. */
  get bytes(): Buffer {
    if (!this.#keeps) throw new Error('this arena counts bytes without keeping them');
    return this.#memory.subarray(0, this.length);
  }
}
