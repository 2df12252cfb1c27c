import { PARSE_SLICE_BYTES } from '../../../contract/limits.js';
import type { Spill } from '../../kept.js';
import type { StoredScreen } from '../stored-screen.js';
import { BacklogView, seenLines } from './backlog/backlog-view.js';
import { ParseBacklog } from './backlog/parse-backlog.js';
import { endOfBlock, PlainScan } from './backlog/plain-scan.js';
import { Screen, type ScreenOptions } from './screen.js';
import type { ScreenMemory } from './xterm/screen-memory.js';

/** Least output parsed at once from a byte that is not plain, up to the end of a line, since each write costs 10 us. */
const MIN_PARSE_BYTES = 4 * 1024;

/** Held output of this size is skipped or, where that is not possible, parsed. A flood of 400 columns stays below. */
const MAX_HELD_BYTES = 512 * 1024;

export interface LazyScreenOptions extends Pick<ScreenOptions, 'scrollback' | 'onReply'> {
  /** Where the stored screen goes while the screen sleeps. */
  spill: Spill;
  /** Reports an error of the screen, which then begins anew, or of reading the stored screen. */
  fault: (error: unknown) => void;
}

/**
 * A screen that parses only what can still be seen. It holds plain output until the screen is needed; of more than the
 * screen can show, it skips the beginning, and the result is the same in every cell as if everything had been parsed.
 * Other output is parsed at once, after the held output. A screen that is not needed can also be put to sleep.
 */
export class LazyScreen {
  readonly #options: LazyScreenOptions;
  readonly #held = new ParseBacklog();
  readonly #scan = new PlainScan();
  #stored: StoredScreen;
  /** Undefined while the screen sleeps. */
  #screen: Screen | undefined;
  /** All held output must be parsed next. */
  #isDue = false;
  /** Number of held bytes that the screen has begun to parse. */
  #begun = 0;
  /** Whether the screen was forward-only when it was put to sleep; a fresh screen is. */
  #wasForwardOnly = true;
  /** Output was skipped: all that can still be seen is held, and the screen's own rows are out of sight. */
  #isSkipped = false;

  constructor(options: LazyScreenOptions, stored: StoredScreen) {
    this.#options = options;
    this.#stored = stored;
    // A stored screen may end within a sequence, which only the live screen knows.
    if (!stored.isEmpty) this.#awake();
  }

  get cols(): number {
    return this.#screen?.cols ?? this.#stored.cols;
  }

  get rows(): number {
    return this.#screen?.rows ?? this.#stored.rows;
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
    return this.#screen?.memory.bytes ?? 0;
  }

  get isAsleep(): boolean {
    return this.#screen === undefined;
  }

  /** Takes output; returns how many bytes. Pass the remainder once they are parsed. Do not call while output is due. */
  take(bytes: Uint8Array): number {
    // The screen is within a sequence whose beginning the scan has not seen.
    if (this.#held.bytes === 0 && this.#screen && !this.#screen.isAtRest) return this.#takeDue(bytes, 0);
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
  }

  /** Parses due output for a few milliseconds, at most `limit` bytes. */
  parse(limit: number): void {
    if (this.#begun === 0) this.#begin(this.#held.first(Math.min(limit, PARSE_SLICE_BYTES)));
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
    const isForwardOnly = this.#screen?.isForwardOnly ?? this.#wasForwardOnly;
    if (!isForwardOnly || this.#isDue) return undefined;
    const { cols, rows } = this;
    const { scrollback } = this.#options;
    const isOpen = this.#scan.isOpen;
    return new BacklogView({ held: this.#held, isOpen, screen: this.#screen, cols, rows, scrollback });
  }

  /** The screen as of the last output. Throws while output is held. */
  get screen(): Screen {
    if (this.#held.bytes > 0) throw new Error('a screen was requested while output waits for it');
    return this.#awake();
  }

  resize(cols: number, rows: number): void {
    this.#change((screen) => screen.resize(cols, rows));
  }

  /**
   * Skips as much held output as possible, and returns what to feed a fresh screen before the remainder to get this
   * screen; undefined when that needs rows printed earlier. Costs nothing compared with {@link Screen.serialize}.
   */
  serializeSkipped(): string | undefined {
    if (!this.#isDue) this.#skip();
    return this.#isSkipped ? this.#screen?.serializeWithoutRows() : undefined;
  }

  /**
   * What to feed a fresh screen to get the sleeping screen with all its output. Undefined while the screen is awake or
   * due, when the output ends within a sequence, and when the stored screen cannot be read.
   */
  get fed(): Uint8Array[] | undefined {
    if (this.#screen || this.#isDue || this.#scan.isOpen) return undefined;
    const stored = this.#stored.readOr(this.#options.fault);
    return stored && [stored, ...this.#held.all()];
  }

  /** Drops the held output from memory; `recall` must return it in one piece. */
  leave(recall: () => Uint8Array): void {
    this.#held.leave(recall);
  }

  /** The memory of the live screen; undefined while it sleeps or is in the midst of a slice. */
  get memory(): ScreenMemory | undefined {
    return this.#begun === 0 ? this.#screen?.memory : undefined;
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
    this.#wasForwardOnly = this.#awake().isForwardOnly;
    if (stored !== this.#stored) this.#stored.free();
    this.#stored = stored;
    stored.spill(this.#options.spill);
    this.#dispose();
  }

  /** Frees the stored and the live screen. */
  close(): void {
    this.#stored.free();
    this.#dispose();
  }

  #begin(bytes: Uint8Array): void {
    this.#begun = bytes.length;
    this.#isSkipped = false;
    this.#change((screen) => screen.begin(bytes));
  }

  get #seenLines(): number {
    return seenLines(this.rows, this.#options.scrollback);
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
    if (this.#held.lineFeeds <= this.#seenLines || !this.#awake().isForwardOnly) return;
    const cut = this.#held.skipTo(this.#seenLines, this.#awake().printPlace);
    if (!cut) return;
    this.#change((screen) => screen.feed(cut.lead));
    this.#isSkipped = true;
  }

  #awake(): Screen {
    if (this.#screen) return this.#screen;
    const { cols, rows } = this.#stored;
    this.#screen = this.#create(cols, rows);
    // Through #change, so that an unreadable stored screen leaves an empty screen and not a dead shard.
    this.#change((screen) => screen.feed(this.#stored.read()));
    return this.#screen;
  }

  #dispose(): void {
    this.#screen?.dispose();
    this.#screen = undefined;
  }

  #create(cols: number, rows: number): Screen {
    return new Screen({ ...this.#options, cols, rows });
  }

  /**
   * Applies `change`. A screen that throws would throw again after each restart of the shard and take down all other
   * terminals of the shard, so the error is reported and the screen begins anew.
   */
  #change(change: (screen: Screen) => void): void {
    const screen = this.#awake();
    try {
      change(screen);
    } catch (error) {
      this.#options.fault(error);
      this.#screen = this.#create(screen.cols, screen.rows);
      screen.dispose();
    }
  }
}
