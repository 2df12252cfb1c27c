import {
  MAX_DOCUMENT_BYTES,
  SEARCH_CLOCK_TOLERANCE_MS,
  SEARCH_INTAKE_BURST_BYTES,
  SEARCH_INTAKE_BYTES_PER_S,
} from '../../contract/limits.js';
import type { DocumentType } from '../../contract/search.js';
import type { SearchStore } from '../../store/search/search-store.js';
import { TokenBucket } from '../../workers/token-bucket.js';
import { LONE_SURROGATE, splitLines } from './split-lines.js';

/** Makes documents of text as it comes, no more than the main thread has time for, and counts what it leaves out. */
export class Intake {
  readonly #store: Pick<SearchStore, 'append' | 'newestTimestamp'>;
  readonly #budget = new TokenBucket({
    perSecond: SEARCH_INTAKE_BYTES_PER_S,
    burst: SEARCH_INTAKE_BURST_BYTES,
  });
  #timestamp: number;
  #indexedBytes = 0;
  #leftOutBytes = 0;

  constructor(store: Pick<SearchStore, 'append' | 'newestTimestamp'>) {
    this.#store = store;
    this.#timestamp = store.newestTimestamp;
  }

  /** Bytes of text taken in. */
  get indexedBytes(): number {
    return this.#indexedBytes;
  }

  get leftOutBytes(): number {
    return this.#leftOutBytes;
  }

  add(terminalId: string, type: DocumentType, text: string): void {
    if (text === '') return;
    const wellFormed = text.replace(LONE_SURROGATE, '\ufffd');
    for (const content of splitLines(wellFormed, MAX_DOCUMENT_BYTES)) {
      const bytes = Buffer.byteLength(content);
      const document = { terminalId, type, timestamp: this.#now(), content };
      if (this.#budget.has(bytes) && this.#store.append(document)) {
        this.#budget.take(bytes);
        this.#indexedBytes += bytes;
      } else {
        this.#leftOutBytes += bytes;
      }
    }
  }

  /** Somebody else had to leave so many bytes out. */
  leftOut(bytes: number): void {
    this.#leftOutBytes += bytes;
  }

  /** The index is empty again: no document is older than what comes now. */
  cleared(): void {
    this.#timestamp = 0;
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
}
