import { PARSE_SLICE_BYTES } from '../../../contract/limits.js';
import type { Spill } from '../../kept.js';
import type { StoredScreen } from '../stored-screen.js';
import { HeldOutput } from './held-output.js';
import { HeldView, seenLines } from './held-view.js';
import { PlainScan } from './plain-scan.js';
import { Screen, type ScreenOptions } from './screen.js';

/** Output that is not plain is parsed with what follows up to the end of a line, so much at least: a write costs 10 us. */
const MIN_PARSE_BYTES = 4 * 1024;

/** Plain output that waits; what exceeds it and cannot be skipped is parsed. A flood of 400 columns stays below it. */
const MAX_HELD_BYTES = 512 * 1024;

const CARRIAGE_RETURN = Buffer.from('\r');

export interface LazyScreenOptions extends Pick<ScreenOptions, 'scrollback' | 'onReply'> {
  /** Where it goes while it sleeps. */
  spill: Spill;
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
  /** Bytes of what is held that the screen has begun to parse. */
  #begun = 0;
  /** When it was put to sleep; a fresh one is. */
  #wasForwardOnly = true;
  /** All that is left to be seen is held: the screen's rows are none of it. */
  #isSkipped = false;

  constructor(options: LazyScreenOptions, stored: StoredScreen) {
    this.#options = options;
    this.#stored = stored;
    // It may end within a sequence.
    if (!stored.isEmpty) this.#awake();
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

  /** Parses for a few milliseconds of what is due, of at most so many bytes. */
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

  /** What the output that is held tells without being parsed; undefined where nothing does. */
  get heldView(): HeldView | undefined {
    const isForwardOnly = this.#screen?.isForwardOnly ?? this.#wasForwardOnly;
    if (!isForwardOnly || this.#isDue) return undefined;
    const { cols, rows } = this;
    const { scrollback } = this.#options;
    const isOpen = this.#scan.isOpen;
    return new HeldView({ held: this.#held, isOpen, screen: this.#screen, cols, rows, scrollback });
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
    const stored = this.#stored.readOr(this.#options.fault);
    return stored && [stored, ...this.#held.all()];
  }

  /** Keeps in memory nothing of what it holds, which `recall` gives back in one piece. */
  leave(recall: () => Uint8Array): void {
    this.#held.leave(recall);
  }

  /** Undoes {@link leave}. */
  recall(): void {
    this.#held.recall();
  }

  /** Frees the screen, of which this is all and the screen's own: not while output is held, nor within a sequence. */
  sleep(stored: StoredScreen): void {
    this.#wasForwardOnly = this.#awake().isForwardOnly;
    if (stored !== this.#stored) this.#stored.free();
    this.#stored = stored;
    stored.spill(this.#options.spill);
    this.#dispose();
  }

  /** Frees all of it. */
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
    const { cols, rows } = this.#stored;
    this.#screen = this.#create(cols, rows);
    // By way of #change, so that what cannot be read leaves an empty screen and not a dead shard.
    this.#change((screen) => screen.feed(this.#stored.read()));
    return this.#screen;
  }

  #dispose(): void {
    this.#screen?.dispose();
    this.#screen = undefined;
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
