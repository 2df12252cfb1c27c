import { encodeCursor, type ReadCursor } from '../reader.js';
import type { StreamPort } from '../stream-port.js';

/** Output that was left out is reported at most this often, unless lines are posted anyway. */
const REPORT_EVERY_MS = 1_000;

/** Posts a feed's messages to the main thread: lines, the position they reach, and the bytes left out before them. */
export class FeedPosts {
  readonly #id: string;
  readonly #port: Pick<StreamPort, 'post' | 'isFull'>;
  /** Bytes left out and not reported yet. */
  #leftOut: number;
  #reportedAt = 0;

  constructor(id: string, port: Pick<StreamPort, 'post' | 'isFull'>, leftOut: number) {
    this.#id = id;
    this.#port = port;
    this.#leftOut = leftOut;
  }

  /** Counts bytes of output that is left out. Returns whether it is time to report them. */
  leaveOut(bytes: number): boolean {
    this.#leftOut += bytes;
    const now = performance.now();
    if (now - this.#reportedAt < REPORT_EVERY_MS) return false;
    this.#reportedAt = now;
    return true;
  }

  /** Posts the lines of `bytes` bytes of output up to the cursor. If the port is full, the bytes are left out. */
  lines(content: string, cursor: ReadCursor, bytes: number): void {
    if (this.#port.isFull) this.#leftOut += bytes;
    else if (content !== '' || this.#leftOut > 0) this.reach(cursor, content);
  }

  /** Reports how far output has been processed, whether or not it printed lines. */
  reach(cursor: ReadCursor, content = ''): void {
    if (this.#port.isFull) return;
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    this.#port.post({ type: 'printed', id: this.#id, content, cursor: encodeCursor(cursor), leftOut });
  }
}
