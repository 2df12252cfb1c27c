import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '../../contract/errors.js';
import { MAX_SUGGESTIONS, SEARCH_COMMIT_WAIT_MS } from '../../contract/limits.js';
import type { DocumentType, SearchRequest } from '../../contract/search.js';
import { fold } from '../../store/search/fold.js';
import { isWordPrefix } from '../../workers/jobs/search/suggest.js';
import type { OpenTerminal } from '../../workers/shard/protocol.js';
import { decodeCursor } from '../../workers/shard/read-cursor.js';
import type { EngineEvent } from '../events.js';
import { Intake } from './intake.js';
import { RedactedText } from './redacted-text.js';
import { type RunStep, scanSteps } from './scan-steps.js';
import { answerOf, hitsOf } from './search-answer.js';
import type { SearchIndexOptions } from './search-index-options.js';
import { SearchTurns } from './search-turns.js';
import { LONE_SURROGATE } from './split-lines.js';
import { type TypedLine, TypedLines } from './typed-lines.js';

type Printed = Extract<EngineEvent, { type: 'printed' }>;

/** Figures of the index for the metrics. */
export interface SearchStats {
  /** Number of stored blocks, bytes of text in them, bytes that they take on the disk. */
  blocks: number;
  textBytes: number;
  diskBytes: number;
  /** Whether the index takes in what is printed and typed. */
  isFeeding: boolean;
  /**
   * Bytes of text taken in since the start, and bytes of output and typed text that were left out because they came too
   * fast.
   */
  indexedBytes: number;
  leftOutBytes: number;
}

/** The searchable text of all terminals: takes in what is printed and typed, and answers searches. */
export class SearchIndex {
  readonly #options: SearchIndexOptions;
  readonly #typed = new TypedLines();
  readonly #redacted: RedactedText;
  /** Terminals whose text goes into the index. */
  readonly #terminals = new Set<string>();
  readonly #intake: Intake;
  readonly #turns = new SearchTurns();
  /** Number of times that the index was cleared. */
  #clearings = 0;

  constructor(options: SearchIndexOptions) {
    this.#options = options;
    this.#intake = new Intake(options.store);
    this.#redacted = new RedactedText(options.redaction);
    // As long as a thread has a deleted file open, the file takes its space, and cleared text stays on the disk.
    options.store.onMoved = (current) =>
      this.#logFailure(
        options.jobs.runInIdle('releaseSearchIndex', { current }),
        'a deleted search index could not be closed',
      );
  }

  /** Whether the index takes in what is printed and typed: it is on, and the disk has room. */
  get isFeeding(): boolean {
    return this.#options.isEnabled() && !this.#options.isPaused();
  }

  /** Adds a terminal, and returns for its shard where its feed continues. Only for a terminal that may be indexed. */
  planFor(terminalId: string): NonNullable<OpenTerminal['index']> {
    this.#terminals.add(terminalId);
    return { cursor: this.#options.store.cursorOf(terminalId) };
  }

  /** Forgets the cursors of all other terminals, which ended while no service was running. */
  keepCursorsOf(terminalIds: Iterable<string>): void {
    this.#options.store.keepCursorsOf(new Set(terminalIds));
  }

  onEvent(event: EngineEvent): void {
    if (event.type === 'printed') this.#printed(event);
    else if (event.type === 'written') this.#typedInto(event);
    else if (event.type === 'removed') this.#forget(event.id);
  }

  /** Indexes the output of a failed command. */
  failed(terminalId: string, text: string): void {
    this.#addWhole(terminalId, 'error', text);
  }

  /** Counts bytes that were meant for the index but not passed to it. */
  leftOut(bytes: number): void {
    this.#intake.leftOut(bytes);
  }

  /**
   * Makes the idle job thread open the index and compile its search, so that the first client does not wait for that.
   */
  warmUp(): void {
    this.#logFailure(
      this.search({ query: 'e', filters: {}, limit: 1 }),
      'the search index could not be searched',
    );
  }

  /**
   * Returns hits, newest first, as a `SearchAnswer` in JSON as UTF-8, so that large answers cost the main thread no
   * more than small ones. Throws `unavailable` when too many searches run at once, or this one takes too long.
   */
  async search({ query, filters, limit }: SearchRequest): Promise<Uint8Array> {
    const paused = () => (this.#options.isPaused() ? 'disk-full' : undefined);
    if (query.search(LONE_SURROGATE) !== -1 || filters.terminalIds?.length === 0)
      return answerOf([], { paused: paused() });
    const request = { query: fold(query), ...filters };
    const { jobs } = this.#options;
    const { items, behind } = await this.#scan(limit, async (range, missing) => {
      const result = await jobs.run('scanSearchIndex', { ...range, ...request, limit: missing });
      return { items: hitsOf(result), damaged: result.damaged };
    });
    return answerOf(items, { paused: paused(), behind });
  }

  /** Returns words that begin with `prefix`, in the case of the text. Throws as {@link search}. */
  async suggest(prefix: string): Promise<string[]> {
    if (!isWordPrefix(prefix)) return [];
    const { jobs } = this.#options;
    const { items } = await this.#scan(MAX_SUGGESTIONS, async (range) => {
      // Each step is asked for MAX_SUGGESTIONS words, not for the missing ones alone: two steps may find the same words.
      const request = { ...range, prefix: fold(prefix), limit: MAX_SUGGESTIONS };
      const { words, damaged } = await jobs.run('suggestFromSearchIndex', request);
      return { items: words, damaged };
    });
    return items;
  }

  /** Forgets every document, and also text that was printed but not fed yet. Throws search-not-cleared. */
  async clear(): Promise<void> {
    await this.#options.settleFeeds();
    this.#clearings++;
    try {
      await this.#options.store.clear();
      this.#intake.cleared();
    } catch (cause) {
      throw new DomainError('search-not-cleared', undefined, { cause });
    }
  }

  stats(): SearchStats {
    const { blocks, textBytes, diskBytes } = this.#options.store.usage;
    const { indexedBytes, leftOutBytes } = this.#intake;
    return { blocks, textBytes, diskBytes, isFeeding: this.isFeeding, indexedBytes, leftOutBytes };
  }

  /** Stores the text taken in so far. */
  async close(): Promise<void> {
    await this.#options.store.close();
  }

  #printed({ id, content, cursor, leftOut }: Printed): void {
    this.#intake.leftOut(leftOut);
    const isOpen = () => decodeCursor(cursor, Number.MAX_SAFE_INTEGER).col > 0;
    if (this.isFeeding) this.#intake.add(id, 'output', this.#redacted.piece(id, content, isOpen));
    // A terminal feeds its last output after its removal.
    if (this.#terminals.has(id)) this.#options.store.setCursor(id, cursor);
    else this.#redacted.left(id);
  }

  #typedInto({ id, parts, ...written }: EngineEvent & { type: 'written' }): void {
    if (!this.#terminals.has(id)) return;
    const lines = parts.flatMap(({ data }) => this.#typed.add(id, data, written));
    const texts = this.#redacted.lines(
      id,
      lines.map(({ text }) => text),
    );
    for (const [index, line] of lines.entries()) void this.#takeLine(id, { ...line, text: texts[index]! });
  }

  /**
   * Indexes a typed line if the terminal shows it. If not, or if that cannot be found out, the line may be a secret.
   */
  async #takeLine(id: string, { text, typed, position }: TypedLine): Promise<void> {
    const clearings = this.#clearings;
    const shown = this.#options.isShown(id, { texts: [typed], position, isLine: true });
    const isShown = await shown.catch(() => false);
    if (isShown && clearings === this.#clearings) this.#addWhole(id, 'input', text);
  }

  #forget(id: string): void {
    this.#terminals.delete(id);
    this.#typed.drop(id);
    this.#redacted.left(id);
    this.#options.store.dropCursor(id);
  }

  #addWhole(terminalId: string, type: DocumentType, text: string): void {
    if (this.isFeeding) this.#intake.add(terminalId, type, this.#redacted.whole(terminalId, text));
  }

  #scan<Item>(limit: number, run: RunStep<Item>): Promise<{ items: Item[]; behind?: true }> {
    return this.#turns.take(async (deadline) => {
      const isStored = await this.#committed();
      const items = await this.#scanRange(limit, run, deadline);
      return { items, ...(!isStored && { behind: true }) };
    });
  }

  /** Commits, so that a search finds what was taken in. Resolves with false if that takes long, as behind a clearing. */
  async #committed(): Promise<boolean> {
    const { store, logger } = this.#options;
    const committed = store.commit().then(
      () => true,
      (err: unknown) => {
        logger.error({ err }, 'search documents could not be stored before a search');
        return false;
      },
    );
    const waited = new AbortController();
    const late = delay(SEARCH_COMMIT_WAIT_MS, false, { signal: waited.signal }).catch(() => false);
    const isStored = await Promise.race([committed, late]);
    waited.abort();
    return isStored;
  }

  async #scanRange<Item>(limit: number, run: RunStep<Item>, deadline: AbortSignal): Promise<Item[]> {
    const { store, logger } = this.#options;
    const range = store.range;
    try {
      const { items, damaged } = await scanSteps(range, limit, run, deadline);
      if (damaged.length > 0) {
        logger.warn({ blocks: damaged }, 'damaged blocks of the search index are deleted');
        await store.removeDamaged(range.folder, damaged);
      }
      return items;
    } catch (error) {
      // The index was cleared or made smaller meanwhile, so its blocks are in another folder.
      if (store.range.folder !== range.folder) return this.#scanRange(limit, run, deadline);
      throw error;
    }
  }

  /** Logs the failure of work that nobody waits for. */
  #logFailure(work: Promise<unknown>, failure: string): void {
    work.catch((err: unknown) => this.#options.logger.warn({ err }, failure));
  }
}
