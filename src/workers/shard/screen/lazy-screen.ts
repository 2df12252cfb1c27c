import { PARSE_SLICE_BYTES } from '../../../contract/limits.js';
import type { StoredScreen } from '../stored-screen.js';
import { BacklogView, seenLines } from './backlog/backlog-view.js';
import { HeldOutput } from './backlog/held-output.js';
import type { Place } from './backlog/place.js';
import { endOfBlock } from './backlog/plain-scan.js';
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
 * Of a program that draws the same rows again and again it holds the last redraw. It also holds as much of a shell's
 * output around commands as can be parsed in a moment, and follows the cursor through that. Other output is parsed at
 * once, after the held output. A screen that is not needed can also be put to sleep; it sleeps on while it holds such
 * output.
 */
export class LazyScreen {
  readonly #scrollback: number;
  readonly #screen: RestingScreen;
  readonly #held: HeldOutput;
  readonly #redraws: Redraws;
  /** Whether all held output must be parsed next. */
  #isDue = false;
  /** Number of held bytes that the screen has begun to parse. */
  #begun = 0;
  #slices = 0;
  /** Whether output was skipped: all that can still be seen is then held, and the screen's own rows are out of sight. */
  #isSkipped = false;

  constructor(options: RestingScreenOptions, stored: StoredScreen) {
    this.#scrollback = options.scrollback;
    this.#screen = new RestingScreen(options, stored);
    this.#held = new HeldOutput(this.#screen);
    this.#redraws = new Redraws(sizeOf(stored));
  }

  get cols(): number {
    return this.#screen.cols;
  }

  get rows(): number {
    return this.#screen.rows;
  }

  /** Whether all output since the screen was parsed or put to sleep is held, so that the screen may sleep on. */
  get holdsAll(): boolean {
    return this.#held.bytes > 0 && !this.#isDue;
  }

  /** How often the screen was used: slices of output that were parsed, and skips, which move its cursor and colours. */
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
    const isRepeated = this.#redraws.repeats(bytes);
    if (isRepeated && this.#held.takeRedraw(bytes)) return bytes.length;
    // The first redraw must be parsed: only later ones may be replaced.
    const isFollowed = isRepeated && this.#held.isTracked;
    // The screen is within a sequence whose beginning the scan has not seen.
    const isWithin = this.#held.bytes === 0 && !this.#screen.isAtRest;
    if (isFollowed || isWithin || this.#held.isRedraw) return this.#takeDue(bytes, 0);
    if (this.#held.isTracked) return this.#takeTracked(bytes, 0);
    const end = this.#held.takePlain(bytes);
    if (end < bytes.length) {
      return this.#held.track(bytes) ? this.#takeTracked(bytes, end) : this.#takeDue(bytes, end);
    }
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
    this.#held.isRedraw = false;
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
    this.#held.begin();
  }

  /** The state that held output determines without being parsed; undefined when it determines nothing. */
  get heldView(): BacklogView | undefined {
    if (this.#held.isTracked || !this.#screen.isForwardOnly || this.#isDue || this.#held.isRedraw)
      return undefined;
    const { live: screen, cols, rows } = this.#screen;
    const { isOpen } = this.#held;
    return new BacklogView({ held: this.#held, isOpen, screen, cols, rows, scrollback: this.#scrollback });
  }

  /**
   * Returns the cursor and the modes of keys after all output, even if some is held or the screen sleeps; undefined if
   * only parsing shows them.
   */
  findPlace(): Place | undefined {
    if (this.#isDue || !this.#screen.isAtRest) return undefined;
    const cursor = this.#held.bytes > 0 ? this.heldView?.cursor : undefined;
    return cursor ? { cursor, modes: this.#screen.printPlace.modes } : this.#held.findPlace();
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
   * Skips as much held output as possible, and returns the text to feed a fresh screen before the remainder to get this
   * screen; undefined when the text needs rows printed earlier. Costs nothing compared with {@link Screen.serialize}.
   */
  serializeSkipped(): string | undefined {
    if (!this.#isDue) this.#skip();
    return this.#isSkipped ? this.#screen.live?.serializeWithoutRows() : undefined;
  }

  /**
   * Bytes to feed a fresh screen to get the sleeping screen with all its output. Undefined while the screen is awake or
   * due, when the output ends within a sequence, and when the stored screen cannot be read.
   */
  get fed(): Uint8Array[] | undefined {
    if (this.#screen.live || this.#isDue || this.#held.isOpen) return undefined;
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

  #takeTracked(bytes: Uint8Array, from: number): number {
    const end = from + this.#held.takeTracked(bytes.subarray(from));
    return end < bytes.length ? this.#takeDue(bytes, end) : end;
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
    if (
      this.#held.isTracked ||
      this.#held.lineFeeds <= this.#seenLines ||
      !this.#screen.awake().isForwardOnly
    )
      return;
    const cut = this.#held.skipTo(this.#seenLines, this.#screen.awake().printPlace);
    if (!cut) return;
    this.#slices++;
    this.#change((screen) => screen.feed(cut.lead));
    this.#isSkipped = true;
  }

  #change(change: (screen: Screen) => void): void {
    // A screen that begins anew has not drawn the earlier output.
    if (!this.#screen.change(change)) this.#redraws.begin(sizeOf(this.#screen));
  }
}

function sizeOf({ cols, rows }: { cols: number; rows: number }): { cols: number; rows: number } {
  return { cols, rows };
}
