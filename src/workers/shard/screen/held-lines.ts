import { trimBlanks } from './lines.js';
import { type WrittenLines, writtenLines } from './plain-lines.js';
import { MIN_XTERM_COLS } from './terminal.js';

/** What stands on the last rows of a screen on which output was written line after line. */
export interface HeldLines {
  /** Those that have text, blanks at their ends cut; of the first the part that is on these rows. */
  lines: string[];
  /** Column of the cursor, which is on the last row; from 0. */
  col: number;
}

/**
 * The lines on the last `rows` rows of a screen of `cols` columns after it has taken `parts`, which begin on the first
 * column. Undefined where that takes a screen to know, or `parts` do not reach so far up.
 */
export function heldLines(parts: readonly Uint8Array[], cols: number, rows: number): HeldLines | undefined {
  const segments = parts.map((bytes) => ({ bytes }));
  const written = writtenLines(segments, { cols, rows, row: 0, col: 0, altScreen: false });
  if (!written) return undefined;
  const col = columnAfter(written, cols);
  if (col === undefined) return undefined;
  const width = Math.max(cols, MIN_XTERM_COLS);
  const kept: string[] = [];
  let left = rows;
  for (let index = written.lines.length - 1; left > 0; index--) {
    const line = written.lines[index];
    // Where a character may take two columns, one may wrap before the last.
    if (line === undefined || (!written.isAscii && 2 * line.length > width)) return undefined;
    const taken = Math.max(1, Math.ceil(line.length / width));
    const text = trimBlanks(taken > left ? line.slice((taken - left) * width) : line);
    if (text !== '') kept.push(text);
    left -= taken;
  }
  return { lines: kept.reverse(), col };
}

/** Undefined where the next character would wrap, and beside wide characters. */
function columnAfter({ lines, isAscii, isAtLineStart }: WrittenLines, cols: number): number | undefined {
  if (isAtLineStart) return 0;
  const col = lines.at(-1)!.length % Math.max(cols, MIN_XTERM_COLS);
  // Of a terminal of one column xterm has two.
  return isAscii && col > 0 ? Math.min(col, cols - 1) : undefined;
}
