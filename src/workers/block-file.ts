import { randomUUID } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { BlockPlaces } from './block-places.js';

/** Bytes. What file systems and the page cache give room in. */
export const BLOCK_BYTES = 4096;

/**
 * A file without a name, whose blocks are used again: nothing is left of it when the process is gone, however it
 * ends. It is opened when it is first written to. Every method throws what the system says.
 */
export class BlockFile {
  readonly #folder: string;
  readonly #places = new BlockPlaces();
  #file: number | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Bytes from its beginning to the end of what is in use. */
  get size(): number {
    return this.#places.end * BLOCK_BYTES;
  }

  /** Answers the block where the bytes begin. */
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

  /** So many bytes from the beginning of a block on, in memory of just that size. */
  read(block: number, length: number): Uint8Array {
    if (this.#file === undefined) throw new Error('a file was read that nothing was written to');
    const bytes = new Uint8Array(length);
    readAll(this.#file, bytes, block * BLOCK_BYTES);
    return bytes;
  }

  /** Has the place of so many bytes used again, or cut off where nothing is in use behind it. */
  free(block: number, length: number): void {
    const { end } = this.#places;
    this.#places.give(block, blocksOf(length));
    if (this.#places.end < end && this.#file !== undefined) ftruncateSync(this.#file, this.size);
  }
}

function blocksOf(length: number): number {
  return Math.ceil(length / BLOCK_BYTES);
}

function openNameless(folder: string): number {
  const path = join(folder, `spill-${randomUUID()}`);
  const file = openSync(path, 'wx+', 0o600);
  try {
    unlinkSync(path);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return file;
}

/** A disk that becomes full takes the beginning, and refuses the rest. */
function writeAll(file: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length; ) {
    const count = writeSync(file, bytes, at, bytes.length - at, position + at);
    if (count === 0) throw new Error('the disk takes no more');
    at += count;
  }
}

function readAll(file: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length; ) {
    const count = readSync(file, bytes, at, bytes.length - at, position + at);
    if (count === 0) throw new Error(`the file ends ${bytes.length - at} bytes before what was written`);
    at += count;
  }
}
