import type { Cursor } from '../read-cursor.js';
import { type HeldLines, heldLines } from './held-lines.js';
import type { HeldOutput } from './held-output.js';
import type { Screen } from './screen.js';
import { SPARE_SCROLLBACK, type SpareScreen } from './spare-screen.js';

const CARRIAGE_RETURN = Buffer.from('\r');

/** Parsed at once, in about 3 ms; more than that is parsed in steps. */
const MAX_SHOWN_BYTES = 128 * 1024;

export interface HeldViewOptions {
  /** All of it is plain. */
  held: HeldOutput;
  /** It ends within a sequence or a character. */
  isOpen: boolean;
  /** What it goes on from, line after line; undefined where that sleeps. */
  screen: Screen | undefined;
  cols: number;
  rows: number;
  /** Lines above the screen. */
  scrollback: number;
}

/**
 * What held output tells of the screen that it is for, without being parsed: of much of it only the end can be seen.
 * Each of these is undefined where it does not tell.
 */
export class HeldView {
  readonly #options: HeldViewOptions;

  constructor(options: HeldViewOptions) {
    this.#options = options;
  }

  /** Where the cursor stands: behind a screenful of lines, the last of which is ended, at the beginning of the last row. */
  get cursor(): Cursor | undefined {
    const { held, rows } = this.#options;
    return held.lineFeeds >= rows && held.endsLine ? { row: rows - 1, col: 0, altScreen: false } : undefined;
  }

  /** The lines of scrollback and screen that have text. */
  get lines(): HeldLines | undefined {
    const { held, isOpen, screen, cols, rows, scrollback } = this.#options;
    if (!screen?.isPlainlyWritten || isOpen || held.lineFeeds < seenLines(rows, scrollback)) return undefined;
    const end = held.end(rows + scrollback);
    return end && heldLines(end.parts, cols, rows + scrollback);
  }

  /** What shows, on `spare`, which has next to no scrollback. */
  shownOn(spare: SpareScreen): Screen | undefined {
    const { held, screen, cols, rows, scrollback } = this.#options;
    if (!screen || held.lineFeeds < seenLines(rows, scrollback)) return undefined;
    // Without scrollback xterm has a row that scrolls off become the new one, which shows where a wide character wraps.
    if (scrollback < SPARE_SCROLLBACK) return undefined;
    const end = held.end(seenLines(rows, SPARE_SCROLLBACK));
    const state = screen.serializeWithoutRows();
    if (!end || state === undefined || lengthOf(end.parts) > MAX_SHOWN_BYTES) return undefined;
    const shown = spare.fed(cols, rows, [Buffer.from(state), CARRIAGE_RETURN, end.colors, ...end.parts]);
    // Its row on the screen is the same, on which more or less scrollback stands; 0 would be none.
    shown.savedLine = screen.savedLine && Math.max(1, screen.savedLine - scrollback + SPARE_SCROLLBACK);
    return shown;
  }
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** Line feeds after which nothing of before is left, and each row that is left was made by a scroll. */
export function seenLines(rows: number, scrollback: number): number {
  return 2 * rows + scrollback + 1;
}
