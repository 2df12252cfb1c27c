import { DomainError } from '../../../contract/errors.js';
import {
  FEED_BURST_BYTES,
  FEED_BYTES_PER_S,
  FEED_DEADLINE_MS,
  FEED_LINE_END_MS,
  FEED_QUIET_MS,
  FEED_STRETCH_BYTES,
  MAX_FEED_CARRY_BYTES,
  MAX_FEED_STRETCH_BYTES,
} from '../../../contract/limits.js';
import { TokenBucket } from '../../token-bucket.js';
import { History, type Segment } from '../history.js';
import { cursorOf, type ReadCursor } from '../reader.js';
import type { ScreenKeeper, ScreenView } from '../screen-keeper.js';
import type { StreamPort } from '../stream-port.js';
import { type FeedOrigin, originOf } from './feed-origin.js';
import { FeedPosts } from './feed-posts.js';
import type { FeedRenderer } from './feed-renderer.js';
import type { Beginning, Stretch } from './feed-stretch.js';

const LF = 0x0a;

export interface SearchFeedOptions {
  id: string;
  keeper: Pick<ScreenKeeper, 'ask' | 'write'>;
  renderer: FeedRenderer;
  port: Pick<StreamPort, 'post' | 'isFull'>;
  /** A stretch could not be rendered. */
  fault: (error: unknown) => void;
}

/**
 * Feeds a terminal's printed lines to the search index, as a client would that reads what is new with `?since=`:
 * when the terminal has been quiet for a moment, or in stretches that end with a line. Output passes through on its
 * way to the keeper, so that it can be asked where a stretch ends; the lines are rendered later. What the budget
 * does not allow is left out and counted.
 */
export class SearchFeed {
  readonly #options: SearchFeedOptions;
  readonly #budget = new TokenBucket({ perSecond: FEED_BYTES_PER_S, burst: FEED_BURST_BYTES });
  #position: number;
  #size: { cols: number; rows: number };
  /** Bytes to come that were fed before. */
  #toSkip: number;
  #open: Stretch;
  /** Undefined where that is not known: what follows is left out up to the next cut outside of a sequence. */
  #beginning: Beginning | undefined;
  #begunAt = 0;
  #wroteAt = 0;
  /** The next line end is to be cut at. */
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;
  /** The last cut has been answered; its lines are posted. */
  #answered: Promise<void> = Promise.resolve();
  #posted: Promise<void> = Promise.resolve();
  /** Of the last cut. */
  #cursor: ReadCursor | undefined;
  readonly #posts: FeedPosts;

  /** @param cursor - up to where another shard has fed it */
  constructor(options: SearchFeedOptions, origin: FeedOrigin, cursor: string | undefined) {
    const { position, resumed, leftOut } = originOf(origin, cursor);
    this.#options = options;
    this.#toSkip = position - origin.position;
    this.#position = position;
    this.#size = { cols: origin.cols, rows: origin.rows };
    this.#posts = new FeedPosts(options.id, options.port, leftOut);
    this.#open = this.#newStretch();
    if (resumed) this.#beginning = { cursor: resumed, carry: [], size: undefined };
    else this.#ask((cursor, pending) => this.#beginAt(cursor, pending === 0 ? [] : undefined));
  }

  /** Takes output on its way to the keeper. */
  write(bytes: Uint8Array): void {
    const fed = Math.min(bytes.length, this.#toSkip);
    this.#toSkip -= fed;
    if (fed > 0) this.#options.keeper.write(bytes.subarray(0, fed));
    const fresh = bytes.subarray(fed);
    const isFull = this.#open.bytes + fresh.length >= FEED_STRETCH_BYTES;
    const lineEnd = isFull || this.#isDue ? fresh.lastIndexOf(LF) + 1 : 0;
    // The setting has changed meanwhile.
    if (this.#open.isOff === this.#options.renderer.isOn) this.#cut();
    this.#take(fresh.subarray(0, lineEnd));
    if (lineEnd > 0) this.#cut();
    this.#take(fresh.subarray(lineEnd));
    if (this.#open.bytes >= MAX_FEED_STRETCH_BYTES) this.#cut();
  }

  resized(cols: number, rows: number): void {
    this.#size = { cols, rows };
    this.#open.history?.resized(cols, rows);
  }

  /** Feeds what there is. Resolves once the keeper is needed no more; `posted` once all of it is posted. */
  async settle(): Promise<{ posted: Promise<void> }> {
    this.#cut();
    await this.#answered;
    this.#posted = this.#posted.then(() => {
      if (this.#cursor) this.#posts.lines('', this.#cursor, 0);
    });
    return { posted: this.#posted };
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #take(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#options.keeper.write(bytes);
    this.#position += bytes.length;
    this.#wroteAt = performance.now();
    if (this.#open.bytes === 0) this.#begunAt = this.#wroteAt;
    this.#open.bytes += bytes.length;
    this.#open.history?.append(bytes);
    this.#timer ??= setTimeout(() => this.#tick(), FEED_QUIET_MS);
  }

  #tick(): void {
    this.#timer = undefined;
    const now = performance.now();
    const age = now - this.#begunAt;
    if (now - this.#wroteAt >= FEED_QUIET_MS || age >= FEED_DEADLINE_MS) {
      this.#cut();
      return;
    }
    this.#isDue = age >= FEED_LINE_END_MS;
    const next = this.#begunAt + (this.#isDue ? FEED_DEADLINE_MS : FEED_LINE_END_MS);
    this.#timer = setTimeout(() => this.#tick(), Math.min(next, this.#wroteAt + FEED_QUIET_MS) - now);
  }

  #cut(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isDue = false;
    const stretch = this.#open;
    if (stretch.bytes === 0) {
      stretch.isOff = !this.#options.renderer.isOn;
      return;
    }
    const end = this.#position;
    this.#open = this.#newStretch();
    if (!this.#admit(stretch)) stretch.history = undefined;
    this.#ask((cursor) => this.#finish(stretch, end, cursor), stretch);
  }

  #admit(stretch: Stretch): boolean {
    const { renderer } = this.#options;
    const { bytes, isOff } = stretch;
    if (isOff || !this.#budget.has(bytes) || !renderer.hasRoom(bytes)) return false;
    this.#budget.take(bytes);
    renderer.reserve(bytes);
    stretch.reserved = bytes;
    return true;
  }

  #release(stretch: Stretch): void {
    this.#options.renderer.release(stretch.reserved);
    stretch.reserved = 0;
  }

  /** Asks where the screen stands here; `pending` bytes before are of an unfinished sequence, after the cursor. */
  #ask(then: (cursor: ReadCursor, pending: number) => void, stretch?: Stretch): void {
    const own = true;
    const answer = ({ screen, ...view }: ScreenView) =>
      then(cursorOf({ screen, ...view }), screen.pendingLength);
    this.#answered = this.#options.keeper.ask(answer, own).catch((error: unknown) => {
      // What comes next begins where nobody knows.
      this.#beginning = undefined;
      if (stretch) {
        this.#release(stretch);
        this.#posts.leaveOut(stretch.bytes);
      }
      const isGone = error instanceof DomainError && error.code === 'terminal-not-found';
      if (!isGone) this.#options.fault(error);
    });
  }

  #finish(stretch: Stretch, end: number, cursor: ReadCursor): void {
    const { start, history } = stretch;
    const beginning = this.#beginning;
    const split = Math.max(start, cursor.position);
    const rest = history?.between(split, end);
    const before = cursor.position < start ? beginning : undefined;
    this.#cursor = cursor;
    if (split === end && cursor.position >= start) this.#beginAt(cursor, []);
    else if (before && rest) this.#beginAt(cursor, [...before.carry, ...rest.segments], before.size);
    else this.#beginAt(cursor, cursor.position < start ? undefined : rest?.segments, rest?.size);
    if (history && beginning && cursor.position > start) {
      this.#render(beginning, history.between(start, split), cursor, stretch);
      return;
    }
    this.#release(stretch);
    if (!history || !beginning || !this.#beginning) this.#leaveOut(stretch, cursor);
  }

  #render(
    { carry, size, cursor: { row, col, altScreen } }: Beginning,
    printed: ReturnType<History['between']>,
    cursor: ReadCursor,
    stretch: Stretch,
  ): void {
    const { renderer, fault } = this.#options;
    const { bytes, reserved } = stretch;
    const start = { ...(size ?? printed.size), row, col, altScreen };
    const lines = renderer.render([...carry, ...printed.segments], start, reserved);
    stretch.reserved = 0;
    this.#posted = Promise.all([lines, this.#posted]).then(
      ([lines]) => this.#posts.lines(lines.join('\n'), cursor, bytes),
      (error: unknown) => {
        this.#posts.leaveOut(bytes);
        fault(error);
      },
    );
  }

  /** @param carry - undefined when the bytes of the unfinished sequence are not known */
  #beginAt(cursor: ReadCursor, carry: Segment[] | undefined, size?: { cols: number; rows: number }): void {
    const bytes = carry?.reduce((sum, part) => sum + ('bytes' in part ? part.bytes.length : 0), 0) ?? 0;
    const isKnown = carry !== undefined && bytes <= MAX_FEED_CARRY_BYTES;
    this.#beginning = isKnown ? { cursor, carry, size: bytes > 0 ? size : undefined } : undefined;
  }

  #leaveOut({ bytes, isOff }: Stretch, cursor: ReadCursor): void {
    // What is printed while the setting is off stays out of the index after a restart, too.
    if (isOff || !this.#options.renderer.isOn || this.#posts.leaveOut(bytes))
      this.#posted = this.#posted.then(() => this.#posts.reach(cursor));
  }

  #newStretch(): Stretch {
    const history = new History(Number.POSITIVE_INFINITY, this.#position, this.#size);
    return { start: this.#position, bytes: 0, history, isOff: !this.#options.renderer.isOn, reserved: 0 };
  }
}
