import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { MAX_UNCOMMITTED_SEARCH_BYTES, SEARCH_BLOCK_BYTES, SEARCH_COMMIT_MS } from '../../contract/limits.js';
import { faultOfEnvironment } from '../check/check.js';
import { BlockBuilder, type NewDocument } from './block.js';
import { Generations } from './generations.js';
import { pagesWithin, SearchFile } from './search-file.js';

/** Milliseconds until the next attempt to make a file smaller after an attempt that failed. */
const SHRINK_RETRY_MS = 60_000;

export interface SearchStoreOptions {
  /** A folder that holds nothing else. */
  folder: string;
  /** Returns how many bytes the data file may have; called at each commit. */
  maxBytes: () => number;
  logger: Pick<Logger, 'warn' | 'error'>;
}

/** The committed blocks, for a scan. */
export interface BlockRange {
  /** Folder of the environment. */
  folder: string;
  oldest: number;
  /** Below `oldest` when there is none. */
  newest: number;
}

interface Growing {
  number: number;
  builder: BlockBuilder;
}

/**
 * The stored documents of the search index, and the cursors up to which the output of terminals is in the index.
 * Documents are collected in a block, which is written again under its number as it grows. Blocks are committed
 * together with their cursors. The oldest blocks are removed to make room for new ones.
 */
export class SearchStore {
  /** Called when the index has moved to another folder, and the folder before is deleted. */
  onMoved: (folder: string) => void = () => undefined;
  readonly #options: SearchStoreOptions;
  readonly #generations: Generations;
  readonly #cursors: Map<string, string>;
  #file: SearchFile;
  /** Cursors to commit; null removes a cursor. */
  #changedCursors = new Map<string, string | null>();
  /** Blocks to commit: the full blocks, and the open block, to which documents are added. */
  #full: Growing[] = [];
  #fullBytes = 0;
  #open: Growing;
  #isOpenChanged = false;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the last commit failed, which is logged once. */
  #isFailing = false;
  /** Runs commits, clearings and removals one after the other. */
  readonly #inTurn = pLimit(1);
  #shrinkNotBefore = 0;

  private constructor(options: SearchStoreOptions, generations: Generations, file: SearchFile) {
    this.#options = options;
    this.#generations = generations;
    this.#file = file;
    this.#cursors = file.cursors();
    this.#open = { number: file.last + 1, builder: new BlockBuilder() };
  }

  /**
   * Opens the index, and creates it if necessary. If LMDB cannot read the index, it is renamed to
   * `<folder>.damaged-<epoch milliseconds>`, with a log line, and replaced by an empty index. Throws ConfigError when
   * the folder cannot be used at all.
   */
  static async open(options: SearchStoreOptions): Promise<SearchStore> {
    const generations = await Generations.open(options.folder);
    const fault = await faultOfEnvironment(generations.current, { keysOnly: true });
    if (fault !== null) {
      const movedTo = await generations.setAside();
      options.logger.error(
        { fault, movedTo },
        'the search index is damaged; it was moved aside, and a new index was begun',
      );
    }
    return new SearchStore(options, generations, new SearchFile(generations.current));
  }

  /** The committed blocks, for a scan. */
  get range(): BlockRange {
    return { folder: this.#file.folder, oldest: this.#file.first, newest: this.#file.last };
  }

  /** Timestamp of the newest document in epoch milliseconds; 0 if there is none. */
  get newestTimestamp(): number {
    return this.#file.newestTimestamp();
  }

  /** Numbers of committed blocks, of bytes of text in them, and of bytes that they take on the disk. */
  get usage(): { blocks: number; textBytes: number; diskBytes: number } {
    return { blocks: this.#file.last - this.#file.first + 1, ...this.#file.usage };
  }

  /** Returns up to where a terminal's output is in the index; undefined if none of it has been fed. */
  cursorOf(terminalId: string): string | undefined {
    return this.#cursors.get(terminalId);
  }

  /** Sets a terminal's cursor, which is committed together with the documents appended before. */
  setCursor(terminalId: string, cursor: string): void {
    this.#cursors.set(terminalId, cursor);
    this.#changedCursors.set(terminalId, cursor);
    this.#schedule();
  }

  dropCursor(terminalId: string): void {
    if (!this.#cursors.delete(terminalId)) return;
    this.#changedCursors.set(terminalId, null);
    this.#schedule();
  }

  /** Removes the cursors of all other terminals. */
  keepCursorsOf(terminalIds: ReadonlySet<string>): void {
    for (const id of this.#cursors.keys()) if (!terminalIds.has(id)) this.dropCursor(id);
  }

  /** Appends a document, to be committed soon. Returns false if too much waits for the disk already. */
  append(document: NewDocument): boolean {
    if (this.#fullBytes > MAX_UNCOMMITTED_SEARCH_BYTES) return false;
    if (!this.#open.builder.add(document, SEARCH_BLOCK_BYTES)) {
      this.#full.push(this.#open);
      this.#fullBytes += this.#open.builder.size;
      this.#open = { number: this.#open.number + 1, builder: new BlockBuilder() };
      this.#open.builder.add(document, SEARCH_BLOCK_BYTES);
    }
    this.#isOpenChanged = true;
    this.#schedule();
    return true;
  }

  /** Resolves once other threads can read all that was appended before. */
  commit(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#inTurn(() => this.#commit());
  }

  /**
   * Removes all documents for good, including uncommitted ones. Cursors stay, so that past output is not indexed again.
   * If it rejects, nothing has changed, or the documents are still on the disk until the next clearing or start.
   */
  clear(): Promise<void> {
    const forget = () => {
      this.#full = [];
      this.#fullBytes = 0;
      this.#open = { number: 1, builder: new BlockBuilder() };
      this.#isOpenChanged = false;
    };
    return this.#inTurn(() => this.#begin(undefined, async () => undefined, forget));
  }

  /** Deletes blocks that a scan could not read. `folder` is that of the range in which they were. */
  removeDamaged(folder: string, numbers: readonly number[]): Promise<void> {
    return this.#inTurn(async () => {
      if (folder === this.#file.folder) await this.#file.remove(numbers);
    });
  }

  /** Commits pending changes; changes that cannot be stored are lost, with a log line. */
  async close(): Promise<void> {
    await this.commit().catch((err: unknown) =>
      this.#options.logger.error({ err }, 'search documents could not be stored before the service stopped'),
    );
    clearTimeout(this.#timer);
    await this.#file.close();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.commit().catch((err: unknown) => {
        if (!this.#isFailing)
          this.#options.logger.error(
            { err },
            'search documents could not be stored; the service tries again',
          );
        this.#isFailing = true;
      });
    }, SEARCH_COMMIT_MS);
  }

  async #commit(): Promise<void> {
    const full = [...this.#full];
    const growing = this.#isOpenChanged ? [...full, this.#open] : full;
    const cursors = this.#changedCursors;
    const maxBytes = this.#options.maxBytes();
    if (growing.length > 0 || cursors.size > 0) {
      this.#changedCursors = new Map();
      this.#isOpenChanged = false;
      try {
        const blocks = growing.map(({ number, builder }) => ({ number, ...builder.encoded() }));
        await this.#file.write({ blocks, cursors, maxPages: pagesWithin(maxBytes) });
      } catch (error) {
        this.#changedCursors = new Map([...cursors, ...this.#changedCursors]);
        this.#isOpenChanged = true;
        this.#schedule();
        throw error;
      }
      this.#isFailing = false;
      this.#full.splice(0, full.length);
      this.#fullBytes -= full.reduce((sum, { builder }) => sum + builder.size, 0);
    }
    if (this.#file.size > maxBytes) await this.#shrink(maxBytes);
  }

  /** A file never shrinks by itself, so this copies as many of the newest blocks as fit to another file. */
  async #shrink(maxBytes: number): Promise<void> {
    if (performance.now() < this.#shrinkNotBefore) return;
    this.#shrinkNotBefore = performance.now() + SHRINK_RETRY_MS;
    const from = this.#file;
    const maxPages = pagesWithin(maxBytes);
    await this.#begin(from.id, (to) => from.copyNewest(to, maxPages));
    this.#shrinkNotBefore = 0;
  }

  /**
   * Continues in another file, to which `fill` has added blocks; calls `moved` then. If `fill` rejects, or the file
   * cannot be opened, nothing has changed.
   */
  async #begin(
    id: string | undefined,
    fill: (to: SearchFile) => Promise<void>,
    moved: () => void = () => undefined,
  ): Promise<void> {
    const next = new SearchFile(await this.#generations.build(), id);
    try {
      await fill(next);
      const cursors = new Map<string, string | null>(this.#cursors);
      await next.write({ blocks: [], cursors, maxPages: Number.MAX_SAFE_INTEGER });
    } finally {
      await next.close();
    }
    const old = this.#file;
    this.#file = await this.#generations.turn((folder) => new SearchFile(folder));
    moved();
    try {
      await old.close();
      await this.#generations.removeOld();
    } finally {
      this.onMoved(this.#file.folder);
    }
  }
}
