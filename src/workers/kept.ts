/** Bytes that are kept for later, in memory or on disk. */
export interface Kept {
  /** How many they are. */
  readonly length: number;
  /** Bytes of memory that they take. */
  readonly residentBytes: number;
  /** The bytes, not to be changed. Throws where the disk does not give them back, and once they are freed. */
  read(): Uint8Array;
  /** They are not needed any more. A second time does nothing. */
  free(): void;
}

/** Where bytes go that nobody is likely to need soon. */
export interface Spill {
  /** Takes `bytes` over: the caller does not change them afterwards. */
  put(bytes: Uint8Array): Kept;
}

/** Keeps all in memory. */
export const IN_MEMORY: Spill = { put: (bytes) => new InMemory(bytes) };

const NOTHING = new Uint8Array(0);

class InMemory implements Kept {
  readonly length: number;
  /** Undefined once they are freed. */
  #bytes: Uint8Array | undefined;

  constructor(bytes: Uint8Array) {
    this.length = bytes.length;
    this.#bytes = alone(bytes);
  }

  get residentBytes(): number {
    return this.#bytes?.length ?? 0;
  }

  read(): Uint8Array {
    if (!this.#bytes) throw new Error('bytes were read that are freed');
    return this.#bytes;
  }

  free(): void {
    this.#bytes = undefined;
  }
}

/** A view of a larger piece of memory would keep all of that. */
function alone(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) return NOTHING;
  return bytes.length === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes);
}
