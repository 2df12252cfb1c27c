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

/** Turns incoming text into documents, no more than the main thread has time for, and counts what it leaves out. */
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

  /** Counts bytes of text that another part of the service had to leave out. */
  leftOut(bytes: number): void {
    this.#leftOutBytes += bytes;
  }

  /** Forgets the last timestamp, since the index is empty: no document is older than the next one. */
  cleared(): void {
    this.#timestamp = 0;
  }

  /**
   * Returns the time for a new document. While the clock is behind the last timestamp by up to
   * SEARCH_CLOCK_TOLERANCE_MS, repeats that, so that new text does not come before old. A clock that is further behind
   * was put right and is followed: hits are in the order in which they came in, regardless of their timestamps.
   */
  #now(): number {
    const now = Date.now();
    const isAhead = this.#timestamp - now > SEARCH_CLOCK_TOLERANCE_MS;
    this.#timestamp = isAhead ? now : Math.max(this.#timestamp, now);
    return this.#timestamp;
  }
}
