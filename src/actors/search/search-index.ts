import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import {
  MAX_DOCUMENT_BYTES,
  MAX_SUGGESTIONS,
  SEARCH_CLOCK_TOLERANCE_MS,
  SEARCH_COMMIT_WAIT_MS,
  SEARCH_INTAKE_BURST_BYTES,
  SEARCH_INTAKE_BYTES_PER_S,
} from '../../contract/limits.js';
import type { DocumentType, SearchBody } from '../../contract/search.js';
import type { InputPart } from '../../contract/terminal.js';
import { fold } from '../../store/search/fold.js';
import type { SearchStore } from '../../store/search/search-store.js';
import type { JobPool } from '../../workers/jobs/pool.js';
import { isWordPrefix } from '../../workers/jobs/search/suggest.js';
import type { OpenTerminal } from '../../workers/shard/protocol.js';
import { TokenBucket } from '../../workers/token-bucket.js';
import type { EngineEvent } from '../events.js';
import { type RunStep, scanSteps } from './scan-steps.js';
import { answerOf, hitsOf } from './search-answer.js';
import { type Deadline, SearchTurns } from './search-turns.js';
import { splitLines } from './split-lines.js';
import { TypedLines } from './typed-lines.js';

/** Half of a surrogate pair, which no text in the index has. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

type Printed = Extract<EngineEvent, { type: 'printed' }>;

export interface SearchIndexOptions {
  store: SearchStore;
  jobs: Pick<JobPool, 'run' | 'runInIdle'>;
  /** Setting `search.index`; asked for each document. */
  isEnabled: () => boolean;
  /** Resolves once everything printed by now has been passed to {@link SearchIndex.onEvent}. */
  settleFeeds: () => Promise<void>;
  logger: Pick<Logger, 'warn' | 'error'>;
}

/** What the metrics say of the index. */
export interface SearchStats {
  /** Blocks stored, bytes of text in them, bytes they take on the disk. */
  blocks: number;
  textBytes: number;
  diskBytes: number;
  /** Bytes of text taken in, and of output and typed text left out for want of time, since the start. */
  indexedBytes: number;
  leftOutBytes: number;
}

/** The searchable text of all terminals: takes in what is printed and typed, and answers searches. */
export class SearchIndex {
  readonly #options: SearchIndexOptions;
  readonly #typed = new TypedLines();
  /** Terminals whose text goes into the index. */
  readonly #terminals = new Set<string>();
  readonly #intake = new TokenBucket({
    perSecond: SEARCH_INTAKE_BYTES_PER_S,
    burst: SEARCH_INTAKE_BURST_BYTES,
  });
  readonly #turns = new SearchTurns();
  #timestamp: number;
  #indexedBytes = 0;
  #leftOutBytes = 0;

  constructor(options: SearchIndexOptions) {
    this.#options = options;
    this.#timestamp = options.store.newestTimestamp;
    // A deleted file takes its room, and what was cleared is on the disk, for as long as a thread has it open.
    options.store.onMoved = (current) =>
      this.#logFailure(
        options.jobs.runInIdle('releaseSearchIndex', { current }),
        'a deleted index stays open',
      );
  }

  /** Takes a terminal in, and says for its shard where its feed goes on. Only for one that may be indexed. */
  planFor(terminalId: string): NonNullable<OpenTerminal['index']> {
    this.#terminals.add(terminalId);
    return { cursor: this.#options.store.cursorOf(terminalId) };
  }

  /** Forgets the cursors of terminals that ended while no service was there. */
  keepCursorsOf(terminalIds: Iterable<string>): void {
    this.#options.store.keepCursorsOf(new Set(terminalIds));
  }

  onEvent(event: EngineEvent): void {
    if (event.type === 'printed') this.#printed(event);
    else if (event.type === 'typed') this.#typedInto(event.id, event.parts);
    else if (event.type === 'removed') this.#forget(event.id);
  }

  /** Has the waiting thread open the index and compile its search, so that the first who asks does not wait for it. */
  warmUp(): void {
    this.#logFailure(
      this.search({ query: 'e', filters: {}, limit: 1 }),
      'the search index could not be searched',
    );
  }

  /**
   * Hits, newest first, as the UTF-8 of a `SearchAnswer` in JSON: large answers cost the main thread no more than
   * small ones. Throws `unavailable` when too many search at once, or it takes too long.
   */
  async search({ query, filters, limit }: SearchBody): Promise<Uint8Array> {
    if (query.search(LONE_SURROGATE) !== -1) return answerOf([]);
    const request = { query: fold(query), terminalId: filters.terminalId, type: filters.type };
    const { jobs } = this.#options;
    const hits = await this.#scan(limit, async (range, missing) => {
      const result = await jobs.run('scanSearchIndex', { ...range, ...request, limit: missing });
      return { items: hitsOf(result), damaged: result.damaged };
    });
    return answerOf(hits);
  }

  /** Words that begin with `prefix`, in the case of the text. Throws as {@link search}. */
  async suggest(prefix: string): Promise<string[]> {
    if (!isWordPrefix(prefix)) return [];
    const { jobs } = this.#options;
    return this.#scan(MAX_SUGGESTIONS, async (range) => {
      // Of the words of one step some may have been found in another.
      const request = { ...range, prefix: fold(prefix), limit: MAX_SUGGESTIONS };
      const { words, damaged } = await jobs.run('suggestFromSearchIndex', request);
      return { items: words, damaged };
    });
  }

  /** Forgets every document, also what was printed but not fed yet. Throws search-not-cleared. */
  async clear(): Promise<void> {
    await this.#options.settleFeeds();
    try {
      await this.#options.store.clear();
      this.#timestamp = 0;
    } catch (cause) {
      throw new DomainError('search-not-cleared', undefined, { cause });
    }
  }

  stats(): SearchStats {
    const { blocks, textBytes, diskBytes } = this.#options.store.usage;
    return {
      ...{ blocks, textBytes, diskBytes },
      indexedBytes: this.#indexedBytes,
      leftOutBytes: this.#leftOutBytes,
    };
  }

  /** Stores what has been taken in. */
  async close(): Promise<void> {
    await this.#options.store.close();
  }

  #printed({ id, content, cursor, leftOut }: Printed): void {
    this.#leftOutBytes += leftOut;
    this.#add(id, 'output', content);
    // A terminal that is gone feeds its last after it was removed.
    if (this.#terminals.has(id)) this.#options.store.setCursor(id, cursor);
  }

  #typedInto(id: string, parts: readonly InputPart[]): void {
    if (!this.#terminals.has(id)) return;
    for (const { data } of parts) {
      for (const line of this.#typed.add(id, data)) this.#add(id, 'input', line);
    }
  }

  #forget(id: string): void {
    this.#terminals.delete(id);
    this.#typed.drop(id);
    this.#options.store.dropCursor(id);
  }

  #add(terminalId: string, type: DocumentType, text: string): void {
    if (text === '' || !this.#options.isEnabled()) return;
    const wellFormed = text.replace(LONE_SURROGATE, '\ufffd');
    for (const content of splitLines(wellFormed, MAX_DOCUMENT_BYTES)) {
      const bytes = Buffer.byteLength(content);
      const document = { terminalId, type, timestamp: this.#now(), content };
      if (this.#intake.has(bytes) && this.#options.store.append(document)) {
        this.#intake.take(bytes);
        this.#indexedBytes += bytes;
      } else {
        this.#leftOutBytes += bytes;
      }
    }
  }

  /**
   * A clock that is set back a little brings no new text before old. One that was ahead for long is followed: hits
   * stand in the order they came in, whatever their timestamps say.
   */
  #now(): number {
    const now = Date.now();
    const isAhead = this.#timestamp - now > SEARCH_CLOCK_TOLERANCE_MS;
    this.#timestamp = isAhead ? now : Math.max(this.#timestamp, now);
    return this.#timestamp;
  }

  #scan<Item>(limit: number, run: RunStep<Item>): Promise<Item[]> {
    return this.#turns.take(async (deadline) => {
      await this.#committed();
      return this.#scanRange(limit, run, deadline);
    });
  }

  /** So that all that was taken in is found. What is not stored in time, as behind a clearing, is missing. */
  async #committed(): Promise<void> {
    const { store, logger } = this.#options;
    const committed = store
      .commit()
      .catch((err: unknown) => logger.error({ err }, 'search documents could not be stored before a search'));
    const waited = new AbortController();
    const { signal } = waited;
    await Promise.race([
      committed,
      delay(SEARCH_COMMIT_WAIT_MS, undefined, { signal }).catch(() => undefined),
    ]);
    waited.abort();
  }

  async #scanRange<Item>(limit: number, run: RunStep<Item>, deadline: Deadline): Promise<Item[]> {
    const { store, logger } = this.#options;
    const range = store.range;
    try {
      const { items, damaged } = await scanSteps(range, limit, run, deadline);
      if (damaged.length > 0) {
        logger.warn({ blocks: damaged }, 'blocks of the search index are damaged and were deleted');
        await store.removeDamaged(range.folder, damaged);
      }
      return items;
    } catch (error) {
      // The index was cleared or made smaller meanwhile: its blocks stand elsewhere now.
      if (store.range.folder !== range.folder) return this.#scanRange(limit, run, deadline);
      throw error;
    }
  }

  /** What nobody waits for, and only a log line is to tell of when it fails. */
  #logFailure(work: Promise<unknown>, failure: string): void {
    work.catch((err: unknown) => this.#options.logger.warn({ err }, failure));
  }
}
