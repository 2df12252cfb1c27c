import { MAX_FEED_CARRY_BYTES } from '../../../contract/limits.js';
import type { History, Segment } from '../history.js';
import { type ReadCursor, startOf } from '../reader.js';
import { type PlainLines, plainLines } from '../screen/backlog/plain-lines.js';
import { printStart } from '../screen/text/print-start.js';
import { mayTurnScreen } from './alternate-screen.js';
import type { FeedPosts } from './feed-posts.js';
import type { Beginning, FeedRange } from './feed-range.js';
import type { FeedRenderer } from './feed-renderer.js';

export interface FeedLinesOptions {
  renderer: FeedRenderer;
  posts: FeedPosts;
  /** Reserves the room to feed the end of a range; returns false when there is none. */
  admitEnd: (end: FeedRange) => boolean;
  /** Called when a range could not be rendered. */
  fault: (error: unknown) => void;
}

/** State of the terminal where a range ends. */
export interface FeedRangeEnd {
  /** Position where the range ends. */
  position: number;
  /** Cursor at that position; if a sequence is unfinished there, before its first byte. */
  cursor: ReadCursor;
  /** The output that the terminal keeps. */
  history: History;
  /** Whether no output follows for the moment. */
  isQuiet: boolean;
}

type Printed = Pick<ReturnType<History['between']>, 'size' | 'segments'>;

/**
 * Makes lines of a terminal's ranges of output and posts them. Ranges come in order, each once the cursor at its end is
 * known. After a screenful of plain lines the cursor is known without asking: every later plain line begins on the same
 * row, the last row that scrolls.
 */
export class FeedLines {
  readonly #options: FeedLinesOptions;
  /** Where the next range begins. If undefined, output is left out up to the next cut outside of a sequence. */
  #beginning: Beginning | undefined;
  /** Row on which every plain line begins; undefined if unknown. */
  #steadyRow: number | undefined;
  /** Whether all output since the terminal began was plain, so that the screen scrolls as a fresh screen does. */
  #isUntouched = false;
  /** Cursor at the end of the last range. */
  #cursor: ReadCursor | undefined;
  #posted: Promise<void> = Promise.resolve();

  constructor(options: FeedLinesOptions) {
    this.#options = options;
  }

  /** Resolves once everything taken is posted, including the report of output that was left out. */
  settled(): Promise<void> {
    this.#next(() => {
      if (this.#cursor) this.#options.posts.lines('', this.#cursor, 0);
    });
    return this.#posted;
  }

  /** Begins at the start of a terminal that has printed nothing yet. */
  beginAtStart(): void {
    this.#isUntouched = true;
    this.beginAt({ position: 0, row: 0, col: 0, altScreen: false }, []);
  }

  /** @param carry - undefined if the bytes of the unfinished sequence are unknown */
  beginAt(cursor: ReadCursor, carry: Segment[] | undefined, size?: { cols: number; rows: number }): void {
    const bytes = carry ? bytesOf(carry) : 0;
    const isKnown = carry !== undefined && bytes <= MAX_FEED_CARRY_BYTES;
    this.#beginning = isKnown ? { cursor, carry, size: bytes > 0 ? size : undefined } : undefined;
  }

  /** Takes the next range if the cursor at its end is known without asking; returns whether it was taken. */
  takePlain(range: FeedRange, position: number): boolean {
    const { output, isResized, start } = range;
    const beginning = this.#beginning;
    const isKnown = this.#isUntouched || this.#steadyRow !== undefined;
    if (!output || isResized || !isKnown || !beginning) return false;
    const { cursor } = beginning;
    const { segments, size } = output.between(start, position);
    const lines = plainLines(segments, printStart(size, cursor));
    if (!lines?.isAtLineStart) return false;
    const row = this.#steadyRow ?? rowAfter(lines, cursor.row, size.rows);
    if (row === undefined) return false;
    const end = { position, row, col: 0, altScreen: cursor.altScreen };
    this.#cursor = end;
    this.beginAt(end, []);
    this.#post(lines, end, range);
    return true;
  }

  /** Takes the next range, whose end the screen actor has reported. */
  take(range: FeedRange, { position: end, cursor, ...own }: FeedRangeEnd): void {
    const { start } = range;
    if (range.isLeftOut && own.isQuiet) this.#truncateHead(range, cursor, own.history);
    const { output } = range;
    const beginning = this.#beginning;
    const split = Math.max(start, cursor.position);
    const rest = output?.between(split, end);
    const before = cursor.position < start ? beginning : undefined;
    this.#cursor = cursor;
    this.#steadyRow = undefined;
    this.#isUntouched = false;
    if (split === end && cursor.position >= start) this.beginAt(cursor, []);
    else if (before && rest) this.beginAt(cursor, carriedInto(before, rest), before.size);
    else this.beginAt(cursor, cursor.position < start ? undefined : rest?.segments, rest?.size);
    if (output && beginning && cursor.position > start) {
      const printed = output.between(start, split);
      const lines = this.#print(beginning, printed, cursor, range);
      const isSteady = split === end && lines?.isAtLineStart && lines.lineFeeds >= printed.size.rows;
      if (isSteady) this.#steadyRow = cursor.row;
      return;
    }
    this.#release(range);
    if (!output || !beginning || !this.#beginning) this.#leaveOut(range, cursor);
  }

  /** Leaves out the next range. Its end is unknown, and therefore also the beginning of the range after it. */
  fail(range: FeedRange | undefined): void {
    this.#beginning = undefined;
    this.#isUntouched = false;
    this.#steadyRow = undefined;
    if (!range) return;
    this.#release(range);
    this.#options.posts.leaveOut(range.bytes);
  }

  /**
   * Feeds the end of a range that was left out, as far as the terminal keeps it, because the end of a flood is its most
   * useful part. Feeds nothing that may have been drawn on the alternate screen.
   */
  #truncateHead(range: FeedRange, cursor: ReadCursor, history: History): void {
    const printed = history.between(range.start, cursor.position);
    const { gap, segments } = printed;
    const isDrawn = gap && (cursor.altScreen || mayTurnScreen(segments));
    const end = { ...range, bytes: gap ? bytesOf(segments) : range.bytes };
    if (isDrawn || end.bytes === 0 || !this.#options.admitEnd(end)) return;
    Object.assign(range, { reserved: end.reserved, output: history });
    if (!gap) return;
    this.#options.posts.leaveOut(range.bytes - end.bytes);
    range.bytes = end.bytes;
    const { row, col, altScreen } = startOf(printed, cursor);
    this.beginAt({ position: cursor.position - end.bytes, row, col, altScreen }, []);
  }

  /** Posts the lines of a range. Returns the lines if they are plain; otherwise they are rendered first. */
  #print(
    beginning: Beginning,
    printed: Printed,
    cursor: ReadCursor,
    range: FeedRange,
  ): PlainLines | undefined {
    const start = printStart(beginning.size ?? printed.size, beginning.cursor);
    const segments = carriedInto(beginning, printed);
    const lines = plainLines(segments, start);
    if (lines) {
      this.#post(lines, cursor, range);
      return lines;
    }
    const { renderer, posts, fault } = this.#options;
    const { bytes, reserved } = range;
    range.reserved = 0;
    const rendered = renderer.render(segments, start, reserved);
    this.#posted = Promise.all([rendered, this.#posted])
      .then(
        ([all]) => posts.lines(all.join('\n'), cursor, bytes),
        (error: unknown) => {
          posts.leaveOut(bytes);
          fault(error);
        },
      )
      .catch(fault);
    return undefined;
  }

  /** Runs `then` after everything posted before. An error is reported, and does not hold back later posts. */
  #next(then: () => void): void {
    this.#posted = this.#posted.then(then).catch(this.#options.fault);
  }

  #post({ text }: PlainLines, cursor: ReadCursor, range: FeedRange): void {
    const { renderer, posts } = this.#options;
    const { bytes, reserved } = range;
    range.reserved = 0;
    this.#next(() => {
      renderer.release(reserved);
      posts.lines(text, cursor, bytes);
    });
  }

  #release(range: FeedRange): void {
    this.#options.renderer.release(range.reserved);
    range.reserved = 0;
  }

  #leaveOut({ bytes, isOff }: FeedRange, cursor: ReadCursor): void {
    const { renderer, posts } = this.#options;
    // Report the position, so that output printed while the setting is off is not fed after a restart either.
    if (isOff || !renderer.isOn || posts.leaveOut(bytes)) this.#next(() => posts.reach(cursor));
  }
}

/** Returns the row of a fresh screen's cursor after lines that begin on `row`; undefined if a line may wrap. */
function rowAfter({ lineFeeds, isUnwrapped }: PlainLines, row: number, rows: number): number | undefined {
  if (lineFeeds >= rows) return rows - 1;
  return isUnwrapped ? Math.min(row + lineFeeds, rows - 1) : undefined;
}

/** Returns the carry and the output after it, with a resize between them if there was one. */
function carriedInto({ carry, size }: Beginning, { segments, size: { cols, rows } }: Printed): Segment[] {
  if (carry.length === 0) return segments;
  const last = carry.findLast((segment) => 'cols' in segment) ?? size;
  const isResized = last && 'cols' in last && (last.cols !== cols || last.rows !== rows);
  return [...carry, ...(isResized ? [{ cols, rows }] : []), ...segments];
}

function bytesOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, segment) => sum + ('bytes' in segment ? segment.bytes.length : 0), 0);
}
