import { ftruncateSync } from 'node:fs';
import { BlockPlaces } from './block-places.js';
import { openNameless, readAll, writeAll } from './nameless-file.js';

/** Bytes of a block: the unit in which file systems and the page cache allocate. */
export const BLOCK_BYTES = 4096;

/**
 * A file without a name, whose blocks are reused. Nothing is left of it after the process ends, however it ends. The
 * first write opens it. Every method throws the error of the system.
 */
export class BlockFile {
  readonly #folder: string;
  readonly #places = new BlockPlaces();
  #file: number | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Bytes from the beginning of the file to the end of the last block in use. */
  get size(): number {
    return this.#places.end * BLOCK_BYTES;
  }

  /** Writes bytes and returns the block where they begin. */
  write(bytes: Uint8Array): number {
    this.#file ??= openNameless(this.#folder);
    const block = this.#places.take(blocksOf(bytes.length));
    try {
      writeAll(this.#file, bytes, block * BLOCK_BYTES);
    } catch (error) {
      this.free(block, bytes.length);
      throw error;
    }
    return block;
  }

  /** Returns `length` bytes from the beginning of a block on, in memory of exactly that size. */
  read(block: number, length: number): Uint8Array {
    if (this.#file === undefined) throw new Error('a file was read to which nothing has been written');
    const bytes = new Uint8Array(length);
    readAll(this.#file, bytes, block * BLOCK_BYTES);
    return bytes;
  }

  /** Frees the blocks of `length` bytes for reuse. Truncates the file if nothing behind them is in use. */
  free(block: number, length: number): void {
    const { end } = this.#places;
    this.#places.give(block, blocksOf(length));
    if (this.#places.end < end && this.#file !== undefined) ftruncateSync(this.#file, this.size);
  }
}

function blocksOf(length: number): number {
  return Math.ceil(length / BLOCK_BYTES);
}
