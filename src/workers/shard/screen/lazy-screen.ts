import { PARSE_SLICE_BYTES } from '../../../contract/limits.js';
import { unpackCheckpoint } from '../checkpoint.js';
import { HeldOutput } from './held-output.js';
import { PlainScan } from './plain-scan.js';
import { Screen, type ScreenOptions } from './screen.js';

/** Output that is not plain is parsed with what follows up to the end of a line, so much at least: a write costs 10 us. */
const MIN_PARSE_BYTES = 4 * 1024;

/** Plain output that waits; what exceeds it and cannot be skipped is parsed. A flood of 400 columns stays below it. */
const MAX_HELD_BYTES = 512 * 1024;

const CARRIAGE_RETURN = Buffer.from('\r');

/** A screen as it is stored: its size, and what {@link unpackCheckpoint} makes into bytes to be fed. */
export interface StoredScreen {
  cols: number;
  rows: number;
  bytes: Uint8Array;
}

/** Row and column are counted from 0. */
export interface Cursor {
  row: number;
  col: number;
  altScreen: boolean;
}

export interface LazyScreenOptions extends Pick<ScreenOptions, 'scrollback' | 'onReply'> {
  /** The screen failed on something and was begun anew. */
  fault: (error: unknown) => void;
}

/**
 * A screen that parses only what can still be seen. Plain output waits until somebody asks for the screen; of more
 * than it can hold the beginning is skipped, and the screen comes out as if it had been parsed, cell by cell. All
 * other output is parsed at once, after what waits. A screen that nobody asks for can be put to sleep, too.
 */
export class LazyScreen {
  readonly #options: LazyScreenOptions;
  readonly #held = new HeldOutput();
  readonly #scan = new PlainScan();
  #stored: StoredScreen;
  /** Undefined while it sleeps. */
  #screen: Screen | undefined;
  /** All that is held is to be parsed now. */
  #isDue = false;
  /** When it was put to sleep; a fresh one is. */
  #wasForwardOnly = true;
  /** All that is left to be seen is held: the screen's rows are none of it. */
  #isSkipped = false;

  constructor(options: LazyScreenOptions, stored: StoredScreen) {
    this.#options = options;
    this.#stored = stored;
    // It may end within a sequence.
    if (stored.bytes.length > 0) this.#awake();
  }

  get cols(): number {
    return this.#screen?.cols ?? this.#stored.cols;
  }

  get rows(): number {
    return this.#screen?.rows ?? this.#stored.rows;
  }

  /** Bytes that are taken and not parsed. */
  get heldBytes(): number {
    return this.#held.bytes;
  }

  /** There is something to {@link parse} before anything else is done. */
  get isDue(): boolean {
    return this.#isDue;
  }

  /** Memory that the screen takes. */
  get bytes(): number {
    return this.#screen?.bytes ?? 0;
  }

  get isAsleep(): boolean {
    return this.#screen === undefined;
  }

  /**
   * Takes output; answers how many bytes of it. The rest is to come when that is parsed. Not while something is due.
   */
  take(bytes: Uint8Array): number {
    // The screen is within a sequence that the scan has not seen begin.
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

  /** Has all that is held parsed, slice by slice. */
  drain(): void {
    if (this.#held.bytes === 0) return;
    this.#skip();
    this.#isDue = true;
  }

  /** Parses one slice of what is due, of at most so many bytes. */
  parse(limit: number): void {
    const bytes = this.#held.first(Math.min(limit, PARSE_SLICE_BYTES));
    this.#change((screen) => screen.feed(bytes));
    this.#held.drop(bytes.length);
    this.#isSkipped = false;
    if (this.#held.bytes > 0) return;
    this.#isDue = false;
    this.#scan.reset();
  }

  /**
   * Where the cursor stands, where that takes no parsing: after a screenful of plain lines, the last of which is
   * ended, it is at the beginning of the last row.
   */
  get steadyCursor(): Cursor | undefined {
    if (
      !(this.#screen?.isForwardOnly ?? this.#wasForwardOnly) ||
      this.#isDue ||
      this.#held.lineFeeds < this.rows ||
      !this.#held.endsLine
    )
      return undefined;
    return { row: this.rows - 1, col: 0, altScreen: false };
  }

  /** The screen as of the last output. Throws while output is held. */
  get screen(): Screen {
    if (this.#held.bytes > 0) throw new Error('a screen was asked for that output waits for');
    return this.#awake();
  }

  resize(cols: number, rows: number): void {
    this.#change((screen) => screen.resize(cols, rows));
  }

  /**
   * What to feed a fresh screen so that it comes out right, given the output that is held after it, of which as much
   * is skipped as can be; undefined when that needs the rows that were printed before. Costs nothing beside
   * {@link Screen.serialize}.
   */
  serializeSkipped(): string | undefined {
    if (!this.#isDue) this.#skip();
    return this.#isSkipped ? this.#screen?.serializeWithoutRows() : undefined;
  }

  /**
   * What to feed a fresh screen in place of one that sleeps, so that it has all output; undefined while it is awake, or
   * the output ends within a sequence.
   */
  get fed(): Uint8Array[] | undefined {
    if (this.#screen || this.#isDue || this.#scan.isOpen) return undefined;
    return [unpackCheckpoint(this.#stored.bytes), ...this.#held.all()];
  }

  /** Keeps in memory nothing of what it holds, which `recall` gives back in one piece. */
  leave(recall: () => Uint8Array): void {
    this.#held.leave(recall);
  }

  /** Has what it left in memory again. */
  recall(): void {
    this.#held.recall();
  }

  /** Frees the screen, of which this is all: not while output is held, nor within a sequence. */
  sleep(stored: StoredScreen): void {
    this.#stored = stored;
    this.#wasForwardOnly = this.#awake().isForwardOnly;
    this.dispose();
  }

  dispose(): void {
    this.#screen?.dispose();
    this.#screen = undefined;
  }

  /** Line feeds after which nothing of before is left, and each row that is left was made by a scroll. */
  get #seenLines(): number {
    return 2 * this.rows + this.#options.scrollback + 1;
  }

  #takeDue(bytes: Uint8Array, from: number): number {
    const end = endOfBlock(bytes, from + MIN_PARSE_BYTES);
    this.drain();
    this.#held.add(bytes.subarray(from, end), 0);
    this.#isDue = true;
    return end;
  }

  /** Leaves out what cannot be seen any more of what is held. */
  #skip(): void {
    if (this.#held.lineFeeds <= this.#seenLines || !this.#awake().isForwardOnly) return;
    const colors = this.#held.skipTo(this.#seenLines);
    if (!colors) return;
    this.#change((screen) => {
      screen.feed(CARRIAGE_RETURN);
      screen.feed(colors);
    });
    this.#isSkipped = true;
  }

  #awake(): Screen {
    if (this.#screen) return this.#screen;
    const { cols, rows, bytes } = this.#stored;
    this.#screen = this.#create(cols, rows);
    // By way of #change, so that what cannot be read leaves an empty screen and not a dead shard.
    this.#change((screen) => screen.feed(unpackCheckpoint(bytes)));
    return this.#screen;
  }

  #create(cols: number, rows: number): Screen {
    const { scrollback, onReply } = this.#options;
    return new Screen({ cols, rows, scrollback, onReply });
  }

  /**
   * A screen that throws would throw again after each restart of the shard, and take all its other terminals along.
   * It is begun anew instead, and the fault reported.
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

/** Index after the first line feed at or after `from`; the end when there is none. */
function endOfBlock(bytes: Uint8Array, from: number): number {
  const at = bytes.indexOf(0x0a, from);
  return at === -1 ? bytes.length : at + 1;
}
