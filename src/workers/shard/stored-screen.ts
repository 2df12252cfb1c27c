import { IN_MEMORY, type Kept, type Spill } from '../kept.js';
import { unpackCheckpoint } from './checkpoint.js';

/** A screen as a checkpoint stores it. */
export interface PackedScreen {
  cols: number;
  rows: number;
  /** See {@link unpackCheckpoint}. */
  bytes: Uint8Array;
}

/** A stored screen, in memory until it is spilled. */
export class StoredScreen {
  readonly cols: number;
  readonly rows: number;
  #kept: Kept;
  #isSpilled = false;

  constructor({ cols, rows, bytes }: PackedScreen) {
    this.cols = cols;
    this.rows = rows;
    this.#kept = IN_MEMORY.put(bytes);
  }

  /** Whether there is nothing to feed. */
  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  /** Returns the bytes to feed a fresh screen of this size. Throws when the disk fails to return them. */
  read(): Uint8Array {
    return unpackCheckpoint(this.#kept.read());
  }

  /** Like `read`, but reports an error to `fault` and returns undefined. */
  readOr(fault: (error: unknown) => void): Uint8Array | undefined {
    try {
      return this.read();
    } catch (error) {
      fault(error);
      return undefined;
    }
  }

  /** Moves the stored screen to `spill`, so that it takes as little memory as possible. */
  spill(spill: Spill): void {
    if (this.#isSpilled) return;
    this.#isSpilled = true;
    const before = this.#kept;
    this.#kept = spill.put(before.read());
    before.free();
  }

  /** Frees the stored screen, which cannot be read afterwards. */
  free(): void {
    this.#kept.free();
  }
}
