import { DomainError } from '../../../contract/errors.js';
import {
  FEED_BURST_BYTES,
  FEED_BYTES_PER_S,
  FEED_DEADLINE_MS,
  FEED_LINE_END_MS,
  FEED_QUIET_MS,
  FEED_RESUME_BYTES,
  FEED_STRETCH_BYTES,
  MAX_FEED_STRETCH_BYTES,
  SHARD_FEED_SPARE_BYTES,
} from '../../../contract/limits.js';
import { LF } from '../../ascii.js';
import { type Rate, TokenBucket } from '../../token-bucket.js';
import type { ReadCursor } from '../read-cursor.js';
import type { ScreenActor } from '../screen-actor.js';
import type { ScreenPlace } from '../screen-view.js';
import type { StreamPort } from '../stream-port.js';
import { FeedLines } from './feed-lines.js';
import { beginningOf, type FeedOrigin } from './feed-origin.js';
import { FeedPosts } from './feed-posts.js';
import type { FeedRange } from './feed-range.js';
import type { FeedRenderer } from './feed-renderer.js';
import { RangeOutput } from './range-output.js';

const BUDGET: Rate = { perSecond: FEED_BYTES_PER_S, burst: FEED_BURST_BYTES };

export interface SearchFeedOptions {
  id: string;
  screenActor: Pick<ScreenActor, 'askPlace' | 'write'>;
  renderer: FeedRenderer;
  port: Pick<StreamPort, 'post' | 'isFull'>;
  /** Called when a range could not be rendered, or the screen actor could not answer. */
  fault: (error: unknown) => void;
}

/**
 * Feeds a terminal's printed lines to the search index, like a client that reads new output with `?since=`: when the
 * terminal has been quiet for a moment, or in ranges that end with a line. Output passes through on its way to the
 * screen actor, so that the screen actor can be asked for the cursor where a range ends; seldom in a flood, since the
 * screen is behind then and must catch up. Output that exceeds the budget is left out and counted, until the flood ends
 * or there is room for FEED_RESUME_BYTES again.
 */
export class SearchFeed {
  readonly #options: SearchFeedOptions;
  readonly #budget = new TokenBucket(BUDGET);
  #position: number;
  #size: { cols: number; rows: number };
  /** Number of coming bytes that an earlier shard has already fed. */
  #toSkip: number;
  #open: FeedRange;
  #begunAt = 0;
  #wroteAt = 0;
  /** Whether the open range ends at the next line end. */
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;
  /** Number of questions to the screen actor that are not answered yet. */
  #asked = 0;
  /** Resolves once the last of them is answered, and with it all of them. */
  #answered: Promise<void> = Promise.resolve();
  readonly #lines: FeedLines;

  /** @param cursor - up to where another shard has fed the terminal */
  constructor(options: SearchFeedOptions, origin: FeedOrigin, cursor: string | undefined) {
    const { id, port, renderer, fault } = options;
    const { position, resumed, leftOut } = beginningOf(origin, cursor);
    this.#options = options;
    this.#toSkip = position - origin.position;
    this.#position = position;
    this.#size = { cols: origin.cols, rows: origin.rows };
    const posts = new FeedPosts(id, port, leftOut);
    this.#lines = new FeedLines({ renderer, posts, fault, admitEnd: (end) => this.#admitEnd(end) });
    this.#open = this.#newRange();
    if (resumed) this.#lines.beginAt(resumed, []);
    else if (origin.position === 0) this.#lines.beginAtStart();
    else
      this.#ask((cursor, { position }) =>
        this.#lines.beginAt(cursor, cursor.position === position ? [] : undefined),
      );
  }

  /** Takes output on its way to the screen actor. */
  write(bytes: Uint8Array): void {
    const fed = Math.min(bytes.length, this.#toSkip);
    this.#toSkip -= fed;
    if (fed > 0) this.#options.screenActor.write(bytes.subarray(0, fed));
    const fresh = bytes.subarray(fed);
    // The setting has changed meanwhile.
    if (this.#open.isOff === this.#options.renderer.isOn) this.#cut();
    const lineEnd = this.#isAtEnd(fresh.length) ? fresh.lastIndexOf(LF) + 1 : 0;
    this.#take(fresh.subarray(0, lineEnd));
    if (lineEnd > 0) this.#end();
    this.#take(fresh.subarray(lineEnd));
    if (this.#open.bytes >= MAX_FEED_STRETCH_BYTES && !this.#open.isLeftOut) this.#end();
  }

  resized(cols: number, rows: number): void {
    this.#size = { cols, rows };
    this.#open.output?.resized(cols, rows);
    if (this.#open.bytes === 0) this.#open.isResized = true;
  }

  /**
   * Feeds all output so far. Resolves once the screen actor is not needed for it; `posted` resolves once it is posted.
   */
  async settle(): Promise<{ posted: Promise<void> }> {
    const isQuiet = true;
    this.#cut(isQuiet);
    await this.#answered;
    return { posted: this.#lines.settled() };
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  /** Returns whether the open range ends with the last line end in the next `bytes` bytes. */
  #isAtEnd(bytes: number): boolean {
    if (this.#isDue) return true;
    // While an answer is pending, let the range grow: with that answer it may need no question of its own.
    const most = this.#asked === 0 ? FEED_STRETCH_BYTES : MAX_FEED_STRETCH_BYTES;
    if (!this.#open.isLeftOut) return this.#open.bytes + bytes >= most;
    // Feeding again costs a question, which a line or two are not worth.
    return this.#hasRoom(FEED_RESUME_BYTES, SHARD_FEED_SPARE_BYTES);
  }

  #take(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const kept = this.#options.screenActor.write(bytes);
    const range = this.#open;
    if (!range.isLeftOut) {
      range.output ??= new RangeOutput(this.#position, this.#size);
      range.output.append(kept);
    }
    this.#position += bytes.length;
    this.#wroteAt = performance.now();
    if (range.bytes === 0) this.#begunAt = this.#wroteAt;
    range.bytes += bytes.length;
    this.#timer ??= setTimeout(() => this.#tick(), FEED_QUIET_MS);
  }

  #tick(): void {
    this.#timer = undefined;
    const now = performance.now();
    const age = now - this.#begunAt;
    const isQuiet = now - this.#wroteAt >= FEED_QUIET_MS;
    if (isQuiet || age >= FEED_DEADLINE_MS) {
      this.#cut(isQuiet);
      return;
    }
    this.#isDue = age >= FEED_LINE_END_MS;
    const next = this.#begunAt + (this.#isDue ? FEED_DEADLINE_MS : FEED_LINE_END_MS);
    this.#timer = setTimeout(() => this.#tick(), Math.min(next, this.#wroteAt + FEED_QUIET_MS) - now);
  }

  /** Ends the open range. If there is no room for its output, drops the output and leaves out later output. */
  #end(): void {
    const { bytes, isLeftOut } = this.#open;
    const spare = bytes >= FEED_STRETCH_BYTES ? SHARD_FEED_SPARE_BYTES : 0;
    if (isLeftOut || this.#hasRoom(bytes, spare)) this.#cut();
    else Object.assign(this.#open, { isLeftOut: true, output: undefined });
  }

  #cut(isQuiet = false): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isDue = false;
    const range = this.#open;
    if (range.bytes === 0) {
      this.#open = this.#newRange(range.isResized);
      return;
    }
    const position = this.#position;
    this.#open = this.#newRange();
    if (!range.isLeftOut && !this.#admit(range)) range.output = undefined;
    // While questions are pending, it is unknown how this range begins.
    if (this.#asked === 0 && this.#lines.takePlain(range, position)) return;
    this.#ask(
      (cursor, { history }) => this.#lines.take(range, { position, cursor, history, isQuiet }),
      range,
    );
  }

  /** @param spare - bytes of the shard's budget that must be left */
  #hasRoom(bytes: number, spare = 0): boolean {
    return this.#options.renderer.hasRoom(bytes, spare) && this.#budget.has(bytes);
  }

  #admit(range: FeedRange): boolean {
    if (range.isOff || !this.#hasRoom(range.bytes)) return false;
    this.#reserve(range);
    return true;
  }

  /** Admits the end of a left-out range. The terminal's budget is used up: the end is charged to its future budget. */
  #admitEnd(end: FeedRange): boolean {
    if (end.isOff || !this.#options.renderer.hasRoom(end.bytes)) return false;
    this.#reserve(end);
    return true;
  }

  #reserve(range: FeedRange): void {
    this.#budget.take(range.bytes);
    this.#options.renderer.reserve(range.bytes);
    range.reserved = range.bytes;
  }

  /** Asks the screen actor for the cursor at this place in the output. */
  #ask(then: (cursor: ReadCursor, place: ScreenPlace) => void, range?: FeedRange): void {
    const own = true;
    this.#asked++;
    const answered = this.#options.screenActor.askPlace((place) => then(place.cursor, place), own);
    this.#answered = answered
      .catch((error: unknown) => {
        this.#lines.fail(range);
        const isGone = error instanceof DomainError && error.code === 'terminal-not-found';
        if (!isGone) this.#options.fault(error);
      })
      .finally(() => {
        this.#asked--;
      });
  }

  #newRange(isResized = false): FeedRange {
    const isOff = !this.#options.renderer.isOn;
    return {
      start: this.#position,
      bytes: 0,
      output: undefined,
      isLeftOut: isOff,
      isOff,
      isResized,
      reserved: 0,
    };
  }
}
