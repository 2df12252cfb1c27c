import { encodeCursor, type ReadCursor } from '../reader.js';
import type { StreamPort } from '../stream-port.js';

/** Output that is left out is reported this often. */
const REPORT_EVERY_MS = 1_000;

/** What a feed tells the main thread: lines, how far they reach, and how much was left out before them. */
export class FeedPosts {
  readonly #id: string;
  readonly #port: Pick<StreamPort, 'post' | 'isFull'>;
  /** Bytes that are not reported yet. */
  #leftOut: number;
  #reportedAt = 0;

  constructor(id: string, port: Pick<StreamPort, 'post' | 'isFull'>, leftOut: number) {
    this.#id = id;
    this.#port = port;
    this.#leftOut = leftOut;
  }

  /** Counts bytes that nobody will find. True when it is time to say so. */
  leaveOut(bytes: number): boolean {
    this.#leftOut += bytes;
    const now = performance.now();
    if (now - this.#reportedAt < REPORT_EVERY_MS) return false;
    this.#reportedAt = now;
    return true;
  }

  /** Lines that so many bytes of output printed, up to the cursor. */
  lines(content: string, cursor: ReadCursor, bytes: number): void {
    if (this.#port.isFull) this.#leftOut += bytes;
    else if (content !== '' || this.#leftOut > 0) this.reach(cursor, content);
  }

  /** Says how far output was gone through, whether it printed anything or not. */
  reach(cursor: ReadCursor, content = ''): void {
    if (this.#port.isFull) return;
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    this.#port.post({ type: 'printed', id: this.#id, content, cursor: encodeCursor(cursor), leftOut });
  }
}
