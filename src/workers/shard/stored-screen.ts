import { IN_MEMORY, type Kept, type Spill } from '../kept.js';
import { unpackCheckpoint } from './checkpoint.js';

/** A screen as a checkpoint has it. */
export interface PackedScreen {
  cols: number;
  rows: number;
  /** See {@link unpackCheckpoint}. */
  bytes: Uint8Array;
}

/** A screen as it is stored, in memory until it is spilled. */
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

  /** There is nothing to be fed. */
  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  /** What to feed a fresh screen of this size. Throws where the disk does not give it back. */
  read(): Uint8Array {
    return unpackCheckpoint(this.#kept.read());
  }

  /** Likewise; undefined, and the fault told, where it cannot be read. */
  readOr(fault: (error: unknown) => void): Uint8Array | undefined {
    try {
      return this.read();
    } catch (error) {
      fault(error);
      return undefined;
    }
  }

  /** Has it take no memory, as far as that can be. */
  spill(spill: Spill): void {
    if (this.#isSpilled) return;
    this.#isSpilled = true;
    const before = this.#kept;
    this.#kept = spill.put(before.read());
    before.free();
  }

  /** It cannot be read any more. */
  free(): void {
    this.#kept.free();
  }
}
