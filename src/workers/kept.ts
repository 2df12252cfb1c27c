/** Bytes kept for later, in memory or on disk. */
export interface Kept {
  /** Number of bytes. */
  readonly length: number;
  /** Bytes of memory that they occupy. */
  readonly residentBytes: number;
  /** Returns the bytes, which the caller must not change. Throws if the disk fails, and after they are freed. */
  read(): Uint8Array;
  /** Frees the bytes. A second call does nothing. */
  free(): void;
}

/** A store for bytes that are unlikely to be needed soon. */
export interface Spill {
  /** Takes ownership of `bytes`: the caller must not change them afterwards. */
  put(bytes: Uint8Array): Kept;
}

/** Keeps all bytes in memory. */
export const IN_MEMORY: Spill = { put: (bytes) => new InMemory(bytes) };

const NOTHING = new Uint8Array(0);

class InMemory implements Kept {
  readonly length: number;
  /** Undefined after they are freed. */
  #bytes: Uint8Array | undefined;

  constructor(bytes: Uint8Array) {
    this.length = bytes.length;
    this.#bytes = alone(bytes);
  }

  get residentBytes(): number {
    return this.#bytes?.length ?? 0;
  }

  read(): Uint8Array {
    if (!this.#bytes) throw new Error('freed bytes were read');
    return this.#bytes;
  }

  free(): void {
    this.#bytes = undefined;
  }
}

/** Returns the bytes in a buffer of their own: a view would keep all of a larger buffer. */
function alone(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) return NOTHING;
  return bytes.length === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes);
}
