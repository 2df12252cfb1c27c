import type { RestingScreen } from '../resting-screen.js';
import { ParseBacklog } from './parse-backlog.js';
import type { Place } from './place.js';
import { PlaceTracker } from './place-tracker.js';
import { PlainScan } from './plain-scan.js';

/**
 * Most bytes held of output that is more than plain: as many as are parsed in about 1 ms; while the screen sleeps, twice
 * as many as are saved unparsed, and less than the history keeps.
 */
const MAX_TRACKED_BYTES = 16 * 1024;
const MAX_TRACKED_ASLEEP_BYTES = 192 * 1024;

/** Largest piece that a shell prints around its prompt; a larger piece is other output. */
const MAX_TRACKED_PIECE_BYTES = 8 * 1024;

/**
 * Output that a screen holds unparsed: plain output, whose beginning can be skipped; or other output through
 * which the cursor is followed, so that the cursor is known without the screen; or a redraw, which the next redraw
 * replaces.
 */
export class HeldOutput extends ParseBacklog {
  readonly #screen: RestingScreen;
  readonly #scan = new PlainScan();
  #tracker: PlaceTracker | undefined;
  /** Whether the held output is a redraw and nothing else. */
  isRedraw = false;

  /** @param screen - the screen that the output continues */
  constructor(screen: RestingScreen) {
    super();
    this.#screen = screen;
  }

  /** Whether the output ends within a sequence or a character. */
  get isOpen(): boolean {
    return this.#tracker ? this.#tracker.isOpen : this.#scan.isOpen;
  }

  /** Whether the cursor is followed, from {@link track} to {@link begin}. */
  get isTracked(): boolean {
    return this.#tracker !== undefined;
  }

  /** Forgets how the previous output ended. Call once all of it is parsed. */
  begin(): void {
    this.#scan.reset();
    this.#tracker = undefined;
  }

  /** Adds output as far as it is plain; returns the number of bytes. */
  takePlain(bytes: Uint8Array): number {
    this.#scan.scan(bytes);
    const { end, lineFeeds } = this.#scan;
    if (end > 0) this.add(bytes.subarray(0, end), lineFeeds);
    return end;
  }

  /** Holds a redraw that repeats the previous redraw, and drops that if it is held. Returns false if it cannot. */
  takeRedraw(bytes: Uint8Array): boolean {
    const { isAtRest, hasMargins } = this.#screen;
    if (this.isRedraw) this.clear();
    else if (this.bytes > 0 || !isAtRest || hasMargins) return false;
    this.isRedraw = true;
    this.add(bytes, 0);
    return true;
  }

  /**
   * Begins to follow the cursor if that is possible; returns whether it is followed.
   *
   * @param piece - output that is to be held next
   */
  track(piece?: Uint8Array): boolean {
    const { isForwardOnly, printPlace } = this.#screen;
    const isSmall = (piece?.length ?? 0) <= MAX_TRACKED_PIECE_BYTES && this.bytes <= this.#mostTracked;
    if (this.#tracker || !isSmall || !isForwardOnly || this.isRedraw) return this.isTracked;
    const tracker = new PlaceTracker(printPlace);
    for (const bytes of this.all()) if (tracker.push(bytes) < bytes.length) return false;
    this.#tracker = tracker;
    return true;
  }

  /**
   * Returns the place after the output, and begins to follow it if need be; undefined if only parsing shows the place.
   * A redraw comes back to the row on which it begins.
   */
  findPlace(): Place | undefined {
    const { cursor, printPlace } = this.#screen;
    const { modes } = printPlace;
    if (this.bytes === 0) return { cursor, modes };
    if (this.isRedraw) return this.endsLine ? { cursor: { ...cursor, col: 0 }, modes } : undefined;
    const tracker = this.track() ? this.#tracker : undefined;
    return tracker && !tracker.isOpen ? { cursor: tracker.cursor, modes: tracker.modes } : undefined;
  }

  /** Adds output as far as the cursor can be followed; returns the number of bytes, 0 if that would be too much. */
  takeTracked(bytes: Uint8Array): number {
    const isMuch = this.bytes + bytes.length > this.#mostTracked;
    const end = isMuch ? 0 : (this.#tracker?.push(bytes) ?? 0);
    if (end > 0) this.add(bytes.subarray(0, end), 0);
    return end;
  }

  get #mostTracked(): number {
    return this.#screen.live ? MAX_TRACKED_BYTES : MAX_TRACKED_ASLEEP_BYTES;
  }
}
