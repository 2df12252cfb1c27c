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

/** Bytes before a value that has pages of its own because it is longer than half a page. */
const PAGE_HEADER_BYTES = 24;
/** Pages of an environment that locate all other data. */
const META_PAGES = 2;
/** Concurrent writes that are counted as taking pages of their own; LMDB commits further writes together with these. */
const MAX_COUNTED_WRITES = 16;

/** Disk space that a write takes. */
export interface Takes {
  /** Bytes of each value that is written. */
  values: readonly number[];
  /** Whether the write frees more than it takes, and may use the pages that are reserved for such writes. */
  isRemoval?: boolean;
}

/** Page counts that lmdb reports for a database; its types omit them. */
interface TreePages {
  treeBranchPageCount: number;
  treeLeafPageCount: number;
  overflowPages: number;
}

interface EnvironmentPages extends TreePages {
  pageSize: number;
  lastPageNumber: number;
  /** Pages of the list of free pages. */
  free: TreePages;
}

/**
 * Reserves room on the disk for the pages that LMDB is about to write: the data file gets blocks behind the pages in
 * use before a write begins. The number of pages that a write takes is estimated high.
 */
export class Room {
  readonly #root: RootDatabase<Buffer, string>;
  readonly #fd: number;
  readonly #pageBytes: number;
  /** Pages that the writes in progress may take, and the number of these writes. */
  #claimed = 0;
  #writes = 0;
  /** Pages with blocks behind the pages in use, at the last look: no more are left now, unless the file has grown. */
  #behind = 0;
  /** Pages that may have been taken since then, by the writes in progress at that time and by later ones. */
  #takenSince = 0;
  /** Error of the last attempt to extend the file that failed. */
  #fault: unknown;

  /** @param dataFile - path of the data file of `root` */
  constructor(root: RootDatabase<Buffer, string>, dataFile: string) {
    this.#root = root;
    this.#fd = openSync(dataFile, 'r+');
    this.#pageBytes = this.#stats().pageSize;
  }

  /** Bytes of the file that LMDB uses. */
  get usedBytes(): number {
    return (this.#stats().lastPageNumber + 1) * this.#pageBytes;
  }

  /** Reserves room for a write until the returned function is called. Throws `storage-full` when there is no room. */
  claim(takes: Takes): () => void {
    const pages = takes.values.reduce((sum, bytes) => sum + this.#pagesOf(bytes) + 1, 0);
    if (!this.#isEnough(takes, pages))
      throw new DomainError('storage-full', undefined, { cause: this.#fault });
    this.#claimed += pages;
    this.#takenSince += pages + STORE_WRITE_PAGES;
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
   * Extends the file, without taking blocks, to the length by which LMDB counts its pages: the last pages of an intact
   * file may never have been written, if they are free. A page that was cut off then reads as zeros, which LMDB
   * reports; reading past the end of the file would end the process by SIGBUS.
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
    // A look takes longer than all else here; after one there is room for several writes.
    if (this.#behind - this.#takenSince >= wanted) return true;
    const behind = this.#pagesBehind(wanted);
    if (behind >= wanted) return true;
    // Large values need consecutive pages, and free pages may not be consecutive.
    const inRow = values.reduce(
      (sum, bytes) => sum + (this.#pagesOf(bytes) > 1 ? this.#pagesOf(bytes) : 0),
      0,
    );
    return behind >= inRow && behind + this.#freePages() >= wanted;
  }

  /**
   * Returns the number of pages with blocks behind the pages in use, after extending the file if necessary and
   * possible.
   */
  #pagesBehind(wanted: number): number {
    const used = this.usedBytes;
    const size = () => Math.floor((fstatSync(this.#fd).size - used) / this.#pageBytes);
    const missing = (wanted - size()) * this.#pageBytes;
    // By a whole step if possible, so that few writes have to extend the file.
    if (missing > 0 && !this.#grow(missing + STORE_ROOM_STEP_BYTES)) this.#grow(missing);
    this.#behind = size();
    this.#takenSince = this.#claimed + this.#writes * STORE_WRITE_PAGES;
    return this.#behind;
  }

  /**
   * Extends the file. Returns false, with the file unchanged, if the disk or a limit of file size or quota forbids it.
   */
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

  /** Returns the number of free pages that LMDB can surely use. Counts half of them, since others may still be read. */
  #freePages(): number {
    const all = this.#stats();
    let inUse = META_PAGES + treePages(all.free) + treePages(all);
    for (const name of this.#root.getKeys()) inUse += treePages(this.#statsOf(name));
    return Math.max(0, (all.lastPageNumber + 1 - inUse) >> 1);
  }

  /** Returns the surplus of a large write to the disk. */
  #trim(): void {
    if (this.#behind * this.#pageBytes <= MAX_STORE_SURPLUS_BYTES) return;
    const used = this.usedBytes;
    const keep = used + MAX_STORE_SURPLUS_BYTES;
    const size = Math.min(fstatSync(this.#fd).size, keep);
    if (size === keep) ftruncateSync(this.#fd, keep);
    this.#behind = Math.floor((size - used) / this.#pageBytes);
    this.#takenSince = 0;
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
