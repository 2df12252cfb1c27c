import type { Cursor } from '../../read-cursor.js';
import type { Screen } from '../screen.js';
import { SPARE_SCROLLBACK, type SpareScreen } from '../spare-screen.js';
import { type BacklogLines, heldLines } from './backlog-lines.js';
import type { ParseBacklog } from './parse-backlog.js';

/** Most bytes that a view parses at once, in about 3 ms. More output is parsed in steps by its own screen. */
const MAX_SHOWN_BYTES = 128 * 1024;

export interface HeldViewOptions {
  /** Held output, all of it plain. */
  held: ParseBacklog;
  /** Whether the held output ends within a sequence or a character. */
  isOpen: boolean;
  /** Screen that the held output continues, line by line; undefined while that screen sleeps. */
  screen: Screen | undefined;
  cols: number;
  rows: number;
  /** Lines above the screen. */
  scrollback: number;
}

/**
 * Reads a screen's state from its held output without parsing all of it, since only the end of long output is visible.
 * Each result is undefined when the held output does not determine it.
 */
export class BacklogView {
  readonly #options: HeldViewOptions;

  constructor(options: HeldViewOptions) {
    this.#options = options;
  }

  /** The cursor: after a screenful of lines, the last of them ended, it is at the beginning of the last row. */
  get cursor(): Cursor | undefined {
    const { held, rows } = this.#options;
    return held.lineFeeds >= rows && held.endsLine ? { row: rows - 1, col: 0, altScreen: false } : undefined;
  }

  /** The lines of scrollback and screen that have text. */
  get lines(): BacklogLines | undefined {
    const { held, isOpen, screen, cols, rows, scrollback } = this.#options;
    if (!screen?.isPlainlyWritten || isOpen || held.lineFeeds < seenLines(rows, scrollback)) return undefined;
    const end = held.end(rows + scrollback, screen.printPlace);
    return end?.column === 0 ? heldLines(end.parts, cols, rows + scrollback) : undefined;
  }

  /** Renders the visible part of the screen on `spare`, which has next to no scrollback. */
  shownOn(spare: SpareScreen): Screen | undefined {
    const { held, screen, cols, rows, scrollback } = this.#options;
    if (!screen || held.lineFeeds < seenLines(rows, scrollback)) return undefined;
    // Without scrollback, xterm reuses the row that scrolls off as the new row: visible where a wide character wraps.
    if (scrollback < SPARE_SCROLLBACK) return undefined;
    const end = held.end(seenLines(rows, SPARE_SCROLLBACK), screen.printPlace);
    const state = screen.serializeWithoutRows();
    if (!end || state === undefined || lengthOf(end.parts) > MAX_SHOWN_BYTES) return undefined;
    const shown = spare.fed(cols, rows, [Buffer.from(state), end.lead, ...end.parts]);
    // The saved cursor stays on its screen row, below less scrollback. At least 1: 0 means that no cursor is saved.
    shown.savedLine = screen.savedLine && Math.max(1, screen.savedLine - scrollback + SPARE_SCROLLBACK);
    return shown;
  }
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** Returns the number of line feeds after which no older row is left, and every row was created by a scroll. */
export function seenLines(rows: number, scrollback: number): number {
  return 2 * rows + scrollback + 1;
}
