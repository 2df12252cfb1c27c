import { MAX_FEED_CARRY_BYTES } from '../../../contract/limits.js';
import type { History, Segment } from '../history.js';
import { type ReadCursor, startOf } from '../reader.js';
import { type PlainLines, plainLines } from '../screen/plain-lines.js';
import { mayTurnScreen } from './alternate-screen.js';
import type { FeedPosts } from './feed-posts.js';
import type { FeedRenderer } from './feed-renderer.js';
import type { Beginning, Stretch } from './feed-stretch.js';

export interface FeedLinesOptions {
  renderer: FeedRenderer;
  posts: FeedPosts;
  /** Takes the room that the end of a stretch needs to be fed; false when there is none. */
  admitEnd: (end: Stretch) => boolean;
  /** A stretch could not be rendered. */
  fault: (error: unknown) => void;
}

/** How the screen stands where a stretch ends. */
export interface StretchEnd {
  /** Of the stretch. */
  position: number;
  /** Before the bytes of a sequence that is not finished there. */
  cursor: ReadCursor;
  /** What the terminal keeps of its output. */
  history: History;
  /** Nothing follows for the moment. */
  isQuiet: boolean;
}

type Printed = ReturnType<History['between']>;

/**
 * Makes lines of a terminal's stretches and posts them. They come in their order, each once it is known how the screen
 * stands at its end. After a screenful of plain lines that is known without asking: from then on each of them begins
 * on the same row, the last one of those that scroll.
 */
export class FeedLines {
  readonly #options: FeedLinesOptions;
  /** Undefined where that is not known: what follows is left out up to the next cut outside of a sequence. */
  #beginning: Beginning | undefined;
  /** Where the next line of plain output begins, as all before it; undefined where that is not known. */
  #steadyRow: number | undefined;
  /** All output since the terminal began was plain: the screen scrolls as a fresh one does. */
  #isUntouched = false;
  /** At the end of the last stretch. */
  #cursor: ReadCursor | undefined;
  #posted: Promise<void> = Promise.resolve();

  constructor(options: FeedLinesOptions) {
    this.#options = options;
  }

  /** Resolves once all that was taken is posted, and with it how far it reaches. */
  settled(): Promise<void> {
    this.#posted = this.#posted.then(() => {
      if (this.#cursor) this.#options.posts.lines('', this.#cursor, 0);
    });
    return this.#posted;
  }

  /** The terminal has printed nothing yet. */
  beginAtStart(): void {
    this.#isUntouched = true;
    this.beginAt({ position: 0, row: 0, col: 0, altScreen: false }, []);
  }

  /** @param carry - undefined when the bytes of the unfinished sequence are not known */
  beginAt(cursor: ReadCursor, carry: Segment[] | undefined, size?: { cols: number; rows: number }): void {
    const bytes = carry ? bytesOf(carry) : 0;
    const isKnown = carry !== undefined && bytes <= MAX_FEED_CARRY_BYTES;
    this.#beginning = isKnown ? { cursor, carry, size: bytes > 0 ? size : undefined } : undefined;
  }

  /** Takes the next stretch if there is no need to ask how the screen stands at its end. */
  takePlain(stretch: Stretch, position: number): boolean {
    const { history, isResized, start } = stretch;
    const beginning = this.#beginning;
    const isKnown = this.#isUntouched || this.#steadyRow !== undefined;
    if (!history || isResized || !isKnown || !beginning) return false;
    const { cursor } = beginning;
    const { segments, size } = history.between(start, position);
    const lines = plainLines(segments, { ...size, ...cursor });
    if (!lines?.isAtLineStart) return false;
    const row = this.#steadyRow ?? rowAfter(lines, cursor.row, size.rows);
    if (row === undefined) return false;
    const end = { position, row, col: 0, altScreen: cursor.altScreen };
    this.#cursor = end;
    this.beginAt(end, []);
    this.#post(lines, end, stretch);
    return true;
  }

  /** Takes the next stretch. */
  take(stretch: Stretch, { position: end, cursor, ...own }: StretchEnd): void {
    const { start } = stretch;
    if (stretch.isLeftOut && own.isQuiet) this.#keepEnd(stretch, cursor, own.history);
    const { history } = stretch;
    const beginning = this.#beginning;
    const split = Math.max(start, cursor.position);
    const rest = history?.between(split, end);
    const before = cursor.position < start ? beginning : undefined;
    this.#cursor = cursor;
    this.#steadyRow = undefined;
    this.#isUntouched = false;
    if (split === end && cursor.position >= start) this.beginAt(cursor, []);
    else if (before && rest) this.beginAt(cursor, carriedInto(before, rest), before.size);
    else this.beginAt(cursor, cursor.position < start ? undefined : rest?.segments, rest?.size);
    if (history && beginning && cursor.position > start) {
      const printed = history.between(start, split);
      const lines = this.#print(beginning, printed, cursor, stretch);
      const isSteady = split === end && lines?.isAtLineStart && lines.lineFeeds >= printed.size.rows;
      if (isSteady) this.#steadyRow = cursor.row;
      return;
    }
    this.#release(stretch);
    if (!history || !beginning || !this.#beginning) this.#leaveOut(stretch, cursor);
  }

  /** The next stretch's end is not known: what comes after it begins where nobody knows. */
  fail(stretch: Stretch | undefined): void {
    this.#beginning = undefined;
    this.#isUntouched = false;
    this.#steadyRow = undefined;
    if (!stretch) return;
    this.#release(stretch);
    this.#options.posts.leaveOut(stretch.bytes);
  }

  /**
   * Of a stretch that was left out, the end is fed all the same, as far as the terminal keeps it: what a flood ends with
   * tells most. Not when it may have been drawn on the alternate screen.
   */
  #keepEnd(stretch: Stretch, cursor: ReadCursor, history: History): void {
    const printed = history.between(stretch.start, cursor.position);
    const { gap, segments } = printed;
    const isDrawn = gap && (cursor.altScreen || mayTurnScreen(segments));
    const end = { ...stretch, bytes: gap ? bytesOf(segments) : stretch.bytes };
    if (isDrawn || end.bytes === 0 || !this.#options.admitEnd(end)) return;
    Object.assign(stretch, { reserved: end.reserved, history });
    if (!gap) return;
    this.#options.posts.leaveOut(stretch.bytes - end.bytes);
    stretch.bytes = end.bytes;
    const { row, col, altScreen } = startOf(printed, cursor);
    this.beginAt({ position: cursor.position - end.bytes, row, col, altScreen }, []);
  }

  /** Gives the lines where they are plain. */
  #print(
    beginning: Beginning,
    printed: Printed,
    cursor: ReadCursor,
    stretch: Stretch,
  ): PlainLines | undefined {
    const start = { ...(beginning.size ?? printed.size), ...beginning.cursor };
    const segments = carriedInto(beginning, printed);
    const lines = plainLines(segments, start);
    if (lines) {
      this.#post(lines, cursor, stretch);
      return lines;
    }
    const { renderer, posts, fault } = this.#options;
    const { bytes, reserved } = stretch;
    stretch.reserved = 0;
    const rendered = renderer.render(segments, start, reserved);
    this.#posted = Promise.all([rendered, this.#posted]).then(
      ([all]) => posts.lines(all.join('\n'), cursor, bytes),
      (error: unknown) => {
        posts.leaveOut(bytes);
        fault(error);
      },
    );
    return undefined;
  }

  #post({ text }: PlainLines, cursor: ReadCursor, stretch: Stretch): void {
    const { renderer, posts } = this.#options;
    const { bytes, reserved } = stretch;
    stretch.reserved = 0;
    this.#posted = this.#posted.then(() => {
      renderer.release(reserved);
      posts.lines(text, cursor, bytes);
    });
  }

  #release(stretch: Stretch): void {
    this.#options.renderer.release(stretch.reserved);
    stretch.reserved = 0;
  }

  #leaveOut({ bytes, isOff }: Stretch, cursor: ReadCursor): void {
    const { renderer, posts } = this.#options;
    // What is printed while the setting is off stays out of the index after a restart, too.
    if (isOff || !renderer.isOn || posts.leaveOut(bytes))
      this.#posted = this.#posted.then(() => posts.reach(cursor));
  }
}

/** The row on which a fresh screen's cursor stands after lines that begin on `row`; undefined when some may wrap. */
function rowAfter({ lineFeeds, isUnwrapped }: PlainLines, row: number, rows: number): number | undefined {
  if (lineFeeds >= rows) return rows - 1;
  return isUnwrapped ? Math.min(row + lineFeeds, rows - 1) : undefined;
}

/** The carry and what was printed after it, with the resize that may have come between the two. */
function carriedInto({ carry, size }: Beginning, { segments, size: { cols, rows } }: Printed): Segment[] {
  if (carry.length === 0) return segments;
  const last = carry.findLast((segment) => 'cols' in segment) ?? size;
  const isResized = last && 'cols' in last && (last.cols !== cols || last.rows !== rows);
  return [...carry, ...(isResized ? [{ cols, rows }] : []), ...segments];
}

function bytesOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, segment) => sum + ('bytes' in segment ? segment.bytes.length : 0), 0);
}
