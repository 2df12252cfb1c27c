import { closeSync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import type { RootDatabase } from 'lmdb';
import { DomainError } from '../contract/errors.js';
import {
  MAX_STORE_SURPLUS_BYTES,
  STORE_ROOM_STEP_BYTES,
  STORE_SPARE_PAGES,
  STORE_WRITE_PAGES,
} from '../contract/limits.js';
import { writeAll } from './write-all.js';

/** Before a value that has pages of its own, since it is longer than half a page. */
const PAGE_HEADER_BYTES = 24;
/** Two pages of an environment say where everything is. */
const META_PAGES = 2;
/** Writes under way at once that take pages of their own; LMDB commits more than these together. */
const MAX_COUNTED_WRITES = 16;

/** What a write takes of the disk. */
export interface Takes {
  /** Bytes of each value that is written. */
  values: readonly number[];
  /** It gives back more than it takes, and may use what is kept for that. */
  isRemoval?: boolean;
}

/** What lmdb counts of a database, in pages; its types leave that out. */
interface TreePages {
  treeBranchPageCount: number;
  treeLeafPageCount: number;
  overflowPages: number;
}

interface EnvironmentPages extends TreePages {
  pageSize: number;
  lastPageNumber: number;
  /** Of the list of free pages. */
  free: TreePages;
}

/**
 * Room on the disk for the pages that LMDB is about to write: blocks behind those in use, which the data file has
 * before a write begins. How many a write takes is reckoned high.
 */
export class Room {
  readonly #root: RootDatabase<Buffer, string>;
  readonly #fd: number;
  readonly #pageBytes: number;
  /** Pages that writes under way may take, and how many writes these are. */
  #claimed = 0;
  #writes = 0;
  /** Why the file could not be made longer the last time. */
  #fault: unknown;

  /** @param dataFile - path of the file that `root` stands in */
  constructor(root: RootDatabase<Buffer, string>, dataFile: string) {
    this.#root = root;
    this.#fd = openSync(dataFile, 'r+');
    this.#pageBytes = this.#stats().pageSize;
  }

  /** Bytes of the file that LMDB uses. */
  get usedBytes(): number {
    return (this.#stats().lastPageNumber + 1) * this.#pageBytes;
  }

  /**
   * Keeps room for a write until the function that is returned is called. Throws `storage-full` when there is none.
   */
  claim(takes: Takes): () => void {
    const pages = takes.values.reduce((sum, bytes) => sum + this.#pagesOf(bytes) + 1, 0);
    if (!this.#isEnough(takes, pages))
      throw new DomainError('storage-full', undefined, { cause: this.#fault });
    this.#claimed += pages;
    this.#writes++;
    return () => {
      this.#claimed -= pages;
      this.#writes--;
      if (this.#writes === 0) this.#trim();
    };
  }

  /** Whether {@link claim} would succeed. */
  has(takes: Takes): boolean {
    try {
      this.claim(takes)();
      return true;
    } catch (error) {
      if (error instanceof DomainError) return false;
      throw error;
    }
  }

  /**
   * Has the file reach as far as LMDB counts its pages, which takes no blocks: the last pages of a sound file may never
   * have been written, when they are free. A page that was cut off is zeros then, which LMDB reports; it would meet the
   * end of the file by SIGBUS.
   */
  coverTail(): void {
    const { usedBytes } = this;
    if (fstatSync(this.#fd).size < usedBytes) ftruncateSync(this.#fd, usedBytes);
  }

  close(): void {
    closeSync(this.#fd);
  }

  #isEnough({ values, isRemoval }: Takes, pages: number): boolean {
    const paths = Math.min(this.#writes + 1, MAX_COUNTED_WRITES) * STORE_WRITE_PAGES;
    const wanted = this.#claimed + pages + paths + (isRemoval ? 0 : STORE_SPARE_PAGES);
    const behind = this.#pagesBehind(wanted);
    if (behind >= wanted) return true;
    // Large values need pages in a row, which free ones may not be.
    const inRow = values.reduce(
      (sum, bytes) => sum + (this.#pagesOf(bytes) > 1 ? this.#pagesOf(bytes) : 0),
      0,
    );
    return behind >= inRow && behind + this.#freePages() >= wanted;
  }

  /** Pages with blocks behind those in use, after the file was made longer where that is needed and can be. */
  #pagesBehind(wanted: number): number {
    const used = this.usedBytes;
    const size = () => Math.floor((fstatSync(this.#fd).size - used) / this.#pageBytes);
    const missing = (wanted - size()) * this.#pageBytes;
    // A whole step if possible, so that few writes come here.
    if (missing > 0 && !this.#grow(missing + STORE_ROOM_STEP_BYTES)) this.#grow(missing);
    return size();
  }

  /** False where the disk, or a limit of files or users, does not allow it: the file stays as it is then. */
  #grow(bytes: number): boolean {
    const { size } = fstatSync(this.#fd);
    const zeros = Buffer.alloc(Math.min(bytes, STORE_ROOM_STEP_BYTES));
    try {
      for (let written = 0; written < bytes; written += zeros.length)
        writeAll(this.#fd, zeros.subarray(0, bytes - written), size + written);
      return true;
    } catch (error) {
      this.#fault = error;
      ftruncateSync(this.#fd, size);
      return false;
    }
  }

  /** Free pages that LMDB will surely use: of the others some may still be read. */
  #freePages(): number {
    const all = this.#stats();
    let inUse = META_PAGES + treePages(all.free) + treePages(all);
    for (const name of this.#root.getKeys()) inUse += treePages(this.#statsOf(name));
    return Math.max(0, (all.lastPageNumber + 1 - inUse) >> 1);
  }

  /** What a large write has left over goes back to the disk. */
  #trim(): void {
    const keep = this.usedBytes + MAX_STORE_SURPLUS_BYTES;
    if (fstatSync(this.#fd).size > keep) ftruncateSync(this.#fd, keep);
  }

  #pagesOf(bytes: number): number {
    return Math.ceil((bytes + PAGE_HEADER_BYTES) / this.#pageBytes);
  }

  #stats(): EnvironmentPages {
    return this.#root.getStats() as EnvironmentPages;
  }

  #statsOf(name: string): TreePages {
    return this.#root.openDB<Buffer, string>(name, { encoding: 'binary' }).getStats() as TreePages;
  }
}

function treePages({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TreePages): number {
  return treeBranchPageCount + treeLeafPageCount + overflowPages;
}
