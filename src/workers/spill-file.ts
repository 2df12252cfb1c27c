import { crc32 } from 'node:zlib';
import { BLOCK_BYTES, BlockFile } from './block-file.js';
import { IN_MEMORY, type Kept, type Spill } from './kept.js';

/** Less than this stays in memory: it would take more room in the file. */
export const SPILL_FROM_BYTES = BLOCK_BYTES;

/** Milliseconds for which a disk that has refused something is not asked again: each try costs the thread's time. */
const REFUSED_MS = 60_000;

export interface SpillFileOptions {
  /** On a disk: what is written to a folder in memory would win nothing. */
  folder: string;
  /** The disk refuses; told once, until it has taken something again. All goes on in memory. */
  onFault: (error: Error) => void;
  /** Milliseconds of a clock that never goes back; a test's own, else `performance.now`. */
  now?: () => number;
}

/**
 * Keeps on disk what nobody is likely to need soon, for one thread; reads and writes are synchronous, and in general
 * go no further than the system's page cache. What is short, and all that the disk refuses, stays in memory.
 */
export class SpillFile implements Spill {
  readonly #file: BlockFile;
  readonly #onFault: (error: Error) => void;
  readonly #now: () => number;
  #refusedAt: number | undefined;

  constructor({ folder, onFault, now = () => performance.now() }: SpillFileOptions) {
    this.#file = new BlockFile(folder);
    this.#onFault = onFault;
    this.#now = now;
  }

  /** Bytes of the file: those in use, and such free places as lie between them. */
  get size(): number {
    return this.#file.size;
  }

  put(bytes: Uint8Array): Kept {
    if (bytes.length < SPILL_FROM_BYTES || this.#isResting) return IN_MEMORY.put(bytes);
    try {
      const kept = new Spilled(this.#file, bytes, (error) => this.#refused(error));
      this.#refusedAt = undefined;
      return kept;
    } catch (error) {
      this.#refused(error);
      return IN_MEMORY.put(bytes);
    }
  }

  get #isResting(): boolean {
    return this.#refusedAt !== undefined && this.#now() - this.#refusedAt < REFUSED_MS;
  }

  #refused(error: unknown): void {
    const isTold = this.#refusedAt !== undefined;
    this.#refusedAt = this.#now();
    if (!isTold) this.#onFault(error instanceof Error ? error : new Error(String(error)));
  }
}

class Spilled implements Kept {
  readonly length: number;
  readonly residentBytes = 0;
  readonly #file: BlockFile;
  readonly #checksum: number;
  readonly #refused: (error: unknown) => void;
  /** Undefined once it is freed. */
  #block: number | undefined;

  /** Throws where the disk refuses. */
  constructor(file: BlockFile, bytes: Uint8Array, refused: (error: unknown) => void) {
    this.#file = file;
    this.#refused = refused;
    this.length = bytes.length;
    this.#checksum = crc32(bytes);
    this.#block = file.write(bytes);
  }

  read(): Uint8Array {
    if (this.#block === undefined) throw new Error('bytes were read that are freed');
    const bytes = this.#file.read(this.#block, this.length);
    // A page whose writing has failed is dropped by the system, and read back as it was before.
    if (crc32(bytes) !== this.#checksum) throw new Error('the disk gives back other bytes than were written');
    return bytes;
  }

  free(): void {
    const block = this.#block;
    if (block === undefined) return;
    this.#block = undefined;
    try {
      this.#file.free(block, this.length);
    } catch (error) {
      // The place is free all the same; the file alone stays as long as it is.
      this.#refused(error);
    }
  }
}
