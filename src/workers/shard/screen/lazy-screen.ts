import { PARSE_SLICE_BYTES } from '../../../contract/limits.js';
import type { Cursor } from '../read-cursor.js';
import type { StoredScreen } from '../stored-screen.js';
import { BacklogView, seenLines } from './backlog/backlog-view.js';
import { ParseBacklog } from './backlog/parse-backlog.js';
import { endOfBlock, PlainScan } from './backlog/plain-scan.js';
import { Redraws } from './backlog/redraws.js';
import { RestingScreen, type RestingScreenOptions } from './resting-screen.js';
import type { Screen } from './screen.js';
import type { ScreenMemory } from './xterm/screen-memory.js';

/** Least output parsed at once from a byte that is not plain, up to the end of a line, since each write costs 10 us. */
const MIN_PARSE_BYTES = 4 * 1024;

/** Held output of this size is skipped or, where that is not possible, parsed. A flood of 400 columns stays below. */
const MAX_HELD_BYTES = 512 * 1024;

/**
 * A screen that parses only what can still be seen. It holds plain output until the screen is needed; of more than the
 * screen can show, it skips the beginning, and the result is the same in every cell as if everything had been parsed.
 * Of a program that draws the same rows again and again it holds the last redraw. Other output is parsed at once, after
 * the held output. A screen that is not needed can also be put to sleep; it sleeps on while it holds such output.
 */
export class LazyScreen {
  readonly #scrollback: number;
  readonly #screen: RestingScreen;
  readonly #held = new ParseBacklog();
  readonly #scan = new PlainScan();
  readonly #redraws: Redraws;
  /** All held output must be parsed next. */
  #isDue = false;
  /** Number of held bytes that the screen has begun to parse. */
  #begun = 0;
  /** All that is held is a redraw, whose place the next one can take. */
  #isRedraw = false;
  #slices = 0;
  /** Output was skipped: all that can still be seen is held, and the screen's own rows are out of sight. */
  #isSkipped = false;

  constructor(options: RestingScreenOptions, stored: StoredScreen) {
    this.#scrollback = options.scrollback;
    this.#screen = new RestingScreen(options, stored);
    this.#redraws = new Redraws(sizeOf(stored));
  }

  get cols(): number {
    return this.#screen.cols;
  }

  get rows(): number {
    return this.#screen.rows;
  }

  /** Whether all that is held is a redraw, whose place the next one can take: also a sleeping screen holds it. */
  get holdsRedraw(): boolean {
    return this.#isRedraw;
  }

  /** Number of slices of output that were parsed. */
  get slices(): number {
    return this.#slices;
  }

  /** Number of bytes taken but not parsed. */
  get heldBytes(): number {
    return this.#held.bytes;
  }

  /** Whether there is something to {@link parse} before anything else is done. */
  get isDue(): boolean {
    return this.#isDue;
  }

  /** Memory that the screen takes; 0 while it sleeps. */
  get bytes(): number {
    return this.#screen.live?.memory.bytes ?? 0;
  }

  get isAsleep(): boolean {
    return this.#screen.live === undefined;
  }

  /** Takes output; returns how many bytes. Pass the remainder once they are parsed. Do not call while output is due. */
  take(bytes: Uint8Array): number {
    if (this.#redraws.repeats(bytes) && this.#holdRedraw(bytes)) return bytes.length;
    if (this.#isRedraw) return this.#takeDue(bytes, 0);
    // The screen is within a sequence whose beginning the scan has not seen.
    if (this.#held.bytes === 0 && !this.#screen.isAtRest) return this.#takeDue(bytes, 0);
    this.#scan.scan(bytes);
    const { end, lineFeeds } = this.#scan;
    if (end > 0) this.#held.add(bytes.subarray(0, end), lineFeeds);
    if (end < bytes.length) return this.#takeDue(bytes, end);
    const isMuch = this.#held.bytes >= MAX_HELD_BYTES;
    if (isMuch || this.#held.lineFeeds >= 2 * this.#seenLines) this.#skip();
    if (this.#held.bytes >= MAX_HELD_BYTES) this.drain();
    return bytes.length;
  }

  /** Makes all held output due, except for output that can be skipped. */
  drain(): void {
    if (this.#held.bytes === 0) return;
    this.#skip();
    this.#isDue = true;
    this.#isRedraw = false;
  }

  /** Parses due output for a few milliseconds, at most `limit` bytes. */
  parse(limit: number): void {
    if (this.#begun === 0) this.#begin(this.#held.first(Math.min(limit, PARSE_SLICE_BYTES)));
    this.#slices++;
    let hasMore = false;
    this.#change((screen) => {
      hasMore = screen.step();
    });
    if (hasMore) return;
    this.#held.drop(this.#begun);
    this.#begun = 0;
    if (this.#held.bytes > 0) return;
    this.#isDue = false;
    this.#scan.reset();
  }

  /** The state that held output determines without being parsed; undefined when it determines nothing. */
  get heldView(): BacklogView | undefined {
    if (!this.#screen.isForwardOnly || this.#isDue || this.#isRedraw) return undefined;
    const { live: screen, cols, rows } = this.#screen;
    const isOpen = this.#scan.isOpen;
    return new BacklogView({ held: this.#held, isOpen, screen, cols, rows, scrollback: this.#scrollback });
  }

  /**
   * The cursor after the held output; undefined if only parsing tells it. A redraw comes back to the row on which it
   * begins, and to the first column if it ends with a line.
   */
  get heldCursor(): Cursor | undefined {
    if (!this.#isRedraw) return this.heldView?.cursor;
    return this.#held.endsLine ? { ...this.#screen.cursor, col: 0 } : undefined;
  }

  /** The screen as of the last output. Throws while output is held. */
  get screen(): Screen {
    if (this.#held.bytes > 0) throw new Error('a screen was requested while output waits for it');
    return this.#screen.awake();
  }

  resize(cols: number, rows: number): void {
    this.#redraws.begin({ cols, rows });
    this.#change((screen) => screen.resize(cols, rows));
  }

  /**
   * Skips as much held output as possible, and returns what to feed a fresh screen before the remainder to get this
   * screen; undefined when that needs rows printed earlier. Costs nothing compared with {@link Screen.serialize}.
   */
  serializeSkipped(): string | undefined {
    if (!this.#isDue) this.#skip();
    return this.#isSkipped ? this.#screen.live?.serializeWithoutRows() : undefined;
  }

  /**
   * What to feed a fresh screen to get the sleeping screen with all its output. Undefined while the screen is awake or
   * due, when the output ends within a sequence, and when the stored screen cannot be read.
   */
  get fed(): Uint8Array[] | undefined {
    if (this.#screen.live || this.#isDue || this.#scan.isOpen) return undefined;
    const { stored } = this.#screen;
    return stored && [stored, ...this.#held.all()];
  }

  /** Drops the held output from memory; `recall` must return it in one piece. */
  leave(recall: () => Uint8Array): void {
    this.#held.leave(recall);
  }

  /** The memory of the live screen; undefined while it sleeps or is in the midst of a slice. */
  get memory(): ScreenMemory | undefined {
    return this.#begun === 0 ? this.#screen.live?.memory : undefined;
  }

  /** Undoes {@link leave}. */
  recall(): void {
    this.#held.recall();
  }

  /**
   * Disposes the live screen and keeps only `stored`, which must be an exact checkpoint of it. Do not call with
   * unparsed output or mid-sequence.
   */
  sleep(stored: StoredScreen): void {
    this.#screen.sleep(stored);
  }

  /** Frees the stored and the live screen. */
  close(): void {
    this.#screen.close();
  }

  #begin(bytes: Uint8Array): void {
    this.#begun = bytes.length;
    this.#isSkipped = false;
    this.#change((screen) => screen.begin(bytes));
  }

  get #seenLines(): number {
    return seenLines(this.rows, this.#scrollback);
  }

  /** Holds a redraw that repeats the one before it, in place of that one if it is held. Returns false if it cannot. */
  #holdRedraw(bytes: Uint8Array): boolean {
    const { isAtRest, hasMargins } = this.#screen;
    if (this.#isRedraw) this.#held.clear();
    else if (this.#held.bytes > 0 || !isAtRest || hasMargins) return false;
    this.#isRedraw = true;
    this.#held.add(bytes, 0);
    return true;
  }

  #takeDue(bytes: Uint8Array, from: number): number {
    const end = endOfBlock(bytes, from + MIN_PARSE_BYTES);
    this.drain();
    this.#held.add(bytes.subarray(from, end), 0);
    this.#isDue = true;
    return end;
  }

  /** Drops held output that will not be visible. */
  #skip(): void {
    if (this.#held.lineFeeds <= this.#seenLines || !this.#screen.awake().isForwardOnly) return;
    const cut = this.#held.skipTo(this.#seenLines, this.#screen.awake().printPlace);
    if (!cut) return;
    this.#change((screen) => screen.feed(cut.lead));
    this.#isSkipped = true;
  }

  #change(change: (screen: Screen) => void): void {
    // A screen that begins anew has not drawn what came before.
    if (!this.#screen.change(change)) this.#redraws.begin(sizeOf(this.#screen));
  }
}

function sizeOf({ cols, rows }: { cols: number; rows: number }): { cols: number; rows: number } {
  return { cols, rows };
}
