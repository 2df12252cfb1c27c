import { randomUUID } from 'node:crypto';
import { Environment } from '../environment.js';
import type { Takes } from '../room.js';
import { BlockView } from './block.js';
import { SIGNATURE_BYTES } from './signature.js';
import { META_KEY, type Meta, openTables, readMeta, readValue, type Tables } from './tables.js';

/** LMDB's page size, unless the machine has larger pages; then less fits, and the size of the file sets the limit. */
const PAGE_BYTES = 4096;
/** Bytes before a value that has pages of its own because it is longer than half a page. */
const PAGE_HEADER_BYTES = 24;

function pagesOf(bytes: number): number {
  return Math.ceil((bytes + PAGE_HEADER_BYTES) / PAGE_BYTES);
}

/**
 * Bytes that blocks must leave to tables, the list of free pages, and gaps between blocks. Measured with blocks of many
 * sizes written and deleted until the file stopped growing: 4.5 MiB beside 32 of blocks, 7.3 beside 64, 11 beside 128.
 */
const RESERVED_BYTES = 4 * 1024 * 1024;
const RESERVED_FRACTION = 0.08;

/** Blocks copied in one transaction when an index is made smaller, which takes a few milliseconds of the main thread. */
const COPY_BLOCKS = 16;

/** Part of the available pages that a copy fills. */
const COPY_FRACTION = 0.9;

/** Bytes of a cursor and of the environment's `Meta`, estimated high. */
const CURSOR_BYTES = 256;
const META_BYTES = 256;

/** Returns the number of pages that blocks may take for the data file to stay within `maxBytes`. */
export function pagesWithin(maxBytes: number): number {
  return Math.floor((maxBytes * (1 - RESERVED_FRACTION) - RESERVED_BYTES) / PAGE_BYTES);
}

/** A block as it is stored. */
export interface StoredBlock {
  number: number;
  bytes: Buffer;
  signature: Uint8Array;
}

/** The changes of one transaction. */
export interface Changes {
  blocks: readonly StoredBlock[];
  /** By terminal id; null removes a cursor. */
  cursors: ReadonlyMap<string, string | null>;
  /** The oldest blocks are removed until the remaining blocks take no more pages than this, signatures included. */
  maxPages: number;
}

/** One environment of the index, opened by its only writer. */
export class SearchFile {
  readonly folder: string;
  readonly #environment: Environment;
  readonly #tables: Tables;
  #meta: Meta;
  #first: number;
  #last: number;

  /** @param id - UUID from which a new index derives the ids of its documents, if it replaces another index */
  constructor(folder: string, id: string = randomUUID()) {
    this.folder = folder;
    this.#environment = Environment.open(folder);
    this.#environment.coverTail();
    this.#tables = openTables(this.#environment);
    this.#meta = readMeta(this.#tables) ?? { id, pages: 0, textBytes: 0 };
    const { blocks } = this.#tables;
    const [first] = blocks.getKeys({ limit: 1 });
    const [last] = blocks.getKeys({ limit: 1, reverse: true });
    this.#first = first ?? 1;
    this.#last = last ?? 0;
  }

  get id(): string {
    return this.#meta.id;
  }

  /**
   * Numbers of the oldest and the newest block; some in between may be missing. If `last` is below `first`, there is
   * none.
   */
  get first(): number {
    return this.#first;
  }

  get last(): number {
    return this.#last;
  }

  /** Bytes that the blocks take on the disk, and bytes of text in them. */
  get usage(): { diskBytes: number; textBytes: number } {
    return { diskBytes: this.#meta.pages * PAGE_BYTES, textBytes: this.#meta.textBytes };
  }

  /** Returns the cursors by terminal id. */
  cursors(): Map<string, string> {
    const entries = this.#tables.cursors.getRange();
    return new Map([...entries].map(({ key, value }) => [key, value.toString('utf8')]));
  }

  /** Returns the time of the newest document in epoch milliseconds; 0 when there is none or it cannot be read. */
  newestTimestamp(): number {
    const bytes = this.#tables.blocks.get(this.#last);
    try {
      const view = bytes && new BlockView(bytes);
      return view?.isIntact() && view.count > 0 ? view.entry(view.count - 1).timestamp : 0;
    } catch {
      return 0;
    }
  }

  /** Returns the number of the oldest of the newest blocks that take no more than `maxPages` together. */
  firstWithin(maxPages: number): number {
    let pages = 0;
    let number = this.#last;
    for (; number >= this.#first; number--) {
      const bytes = readValue(this.#tables.blocks, number);
      if (bytes) pages += pagesOf(bytes.length) + pagesOf(SIGNATURE_BYTES);
      if (pages > maxPages) break;
    }
    return number + 1;
  }

  /** Returns a copy of a block; undefined when it is gone. */
  block(number: number): StoredBlock | undefined {
    const bytes = this.#tables.blocks.get(number);
    const signature = this.#tables.signatures.get(number);
    return bytes && signature && { number, bytes: Buffer.from(bytes), signature: Buffer.from(signature) };
  }

  /** Copies the newest blocks to another file, fewer than `maxPages` hold, so that the next copy is not needed soon. */
  async copyNewest(to: SearchFile, maxPages: number): Promise<void> {
    for (
      let number = this.firstWithin(maxPages * COPY_FRACTION);
      number <= this.last;
      number += COPY_BLOCKS
    ) {
      const numbers = Array.from({ length: COPY_BLOCKS }, (_, index) => number + index);
      const blocks = numbers.map((each) => this.block(each)).filter((block) => block !== undefined);
      await to.write({ blocks, cursors: new Map(), maxPages });
    }
  }

  /** Bytes of the data file that LMDB uses, including free pages. */
  get size(): number {
    return this.#environment.usedBytes;
  }

  /** Writes all changes or, when it rejects, none. */
  async write({ blocks, cursors, maxPages }: Changes): Promise<void> {
    const values = [...blocks.map(({ bytes }) => bytes.length), ...[...cursors].map(() => CURSOR_BYTES)];
    const takes = { values: [...values, ...blocks.map(() => SIGNATURE_BYTES), META_BYTES] };
    const written = await this.#commit(takes, () => {
      const meta = { ...this.#meta };
      let first = this.#first;
      let last = this.#last;
      for (const block of blocks) {
        this.#drop(block.number, meta);
        this.#put(block, meta);
        last = Math.max(last, block.number);
      }
      for (; meta.pages > maxPages && first < last; first++) this.#drop(first, meta);
      for (const [id, cursor] of cursors) this.#setCursor(id, cursor);
      this.#putMeta(meta);
      return { meta, first, last };
    });
    this.#meta = written.meta;
    this.#first = written.first;
    this.#last = written.last;
  }

  /** Removes blocks that cannot be read. */
  async remove(numbers: readonly number[]): Promise<void> {
    this.#meta = await this.#commit({ values: [META_BYTES], isRemoval: true }, () => {
      const meta = { ...this.#meta };
      for (const number of numbers) this.#drop(number, meta);
      this.#putMeta(meta);
      return meta;
    });
  }

  async close(): Promise<void> {
    await this.#environment.close();
  }

  #commit<T>(takes: Takes, work: () => T): Promise<T> {
    return this.#environment.commit(takes, () => this.#environment.root.transaction(work));
  }

  #put({ number, bytes, signature }: StoredBlock, meta: Meta): void {
    this.#tables.blocks.put(number, bytes);
    this.#tables.signatures.put(number, Buffer.from(signature));
    meta.pages += pagesOf(bytes.length) + pagesOf(SIGNATURE_BYTES);
    meta.textBytes += textBytesOf(bytes);
  }

  #drop(number: number, meta: Meta): void {
    const bytes = readValue(this.#tables.blocks, number);
    if (!bytes) return;
    meta.pages -= pagesOf(bytes.length) + pagesOf(SIGNATURE_BYTES);
    meta.textBytes -= textBytesOf(bytes);
    this.#tables.blocks.remove(number);
    this.#tables.signatures.remove(number);
  }

  #setCursor(id: string, cursor: string | null): void {
    if (cursor === null) this.#tables.cursors.remove(id);
    else this.#tables.cursors.put(id, Buffer.from(cursor, 'utf8'));
  }

  #putMeta(meta: Meta): void {
    this.#tables.meta.put(META_KEY, Buffer.from(JSON.stringify(meta), 'utf8'));
  }
}

/** Returns the bytes of text in a block; 0 for a block that cannot be read: only its pages count. */
function textBytesOf(bytes: Buffer): number {
  try {
    return new BlockView(bytes).text.length;
  } catch {
    return 0;
  }
}
