import { crc32 } from 'node:zlib';
import { BLOCK_BYTES, BlockFile } from './block-file.js';
import { IN_MEMORY, type Kept, type Spill } from './kept.js';

/** Least number of bytes written to the file; fewer stay in memory, since they would take a whole block of the file. */
export const SPILL_FROM_BYTES = BLOCK_BYTES;

/** Pause in milliseconds after a failure of the disk before the next attempt, since each attempt costs the thread's time. */
const REFUSED_MS = 60_000;

export interface SpillFileOptions {
  /** Folder of the file. Must be on a disk: a file in a memory file system would save nothing. */
  folder: string;
  /** Called at the first failure of the disk, and again only after a write has worked. Bytes then stay in memory. */
  onFault: (error: Error) => void;
  /** Milliseconds of a monotonic clock; `performance.now` by default, replaced in tests. */
  now?: () => number;
}

/**
 * Keeps bytes on disk that are unlikely to be needed soon, for one thread. Reads and writes are synchronous, and mostly
 * reach only the system's page cache. Short pieces, and all that the disk refuses, stay in memory.
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

  /** Bytes of the file: the blocks in use, and the free blocks between them. */
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
  /** First block in the file; undefined after it is freed. */
  #block: number | undefined;

  /** Writes the bytes. Throws if the disk fails. */
  constructor(file: BlockFile, bytes: Uint8Array, refused: (error: unknown) => void) {
    this.#file = file;
    this.#refused = refused;
    this.length = bytes.length;
    this.#checksum = crc32(bytes);
    this.#block = file.write(bytes);
  }

  read(): Uint8Array {
    if (this.#block === undefined) throw new Error('freed bytes were read');
    const bytes = this.#file.read(this.#block, this.length);
    // If writing back a page fails, the system drops the page, and a read returns the older content.
    if (crc32(bytes) !== this.#checksum)
      throw new Error('the disk returned bytes other than those that were written');
    return bytes;
  }

  free(): void {
    const block = this.#block;
    if (block === undefined) return;
    this.#block = undefined;
    try {
      this.#file.free(block, this.length);
    } catch (error) {
      // The blocks are free all the same; only the file was not truncated.
      this.#refused(error);
    }
  }
}
