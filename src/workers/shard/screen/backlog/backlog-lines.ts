import { trimBlanks } from '../text/lines.js';
import { MIN_XTERM_COLS } from '../xterm/terminal.js';
import { type WrittenLines, writtenLines } from './written-lines.js';

/** Text on the last rows of a screen on which output was written line by line. */
export interface BacklogLines {
  /** Lines that have text, trailing blanks cut. The first line may be only the part that is on these rows. */
  lines: string[];
  /** Column of the cursor, counted from 0. The cursor is on the last row. */
  col: number;
}

/**
 * Returns the lines on the last `rows` rows of a screen of `cols` columns after it has taken `parts`, which begin on
 * the first column. Undefined when only a screen knows them, or when `parts` do not fill `rows` rows.
 */
export function heldLines(
  parts: readonly Uint8Array[],
  cols: number,
  rows: number,
): BacklogLines | undefined {
  const segments = parts.map((bytes) => ({ bytes }));
  const written = writtenLines(segments, { cols, rows, row: 0, col: 0, altScreen: false });
  if (!written) return undefined;
  const col = cursorColumn(written, cols);
  if (col === undefined) return undefined;
  const width = Math.max(cols, MIN_XTERM_COLS);
  const kept: string[] = [];
  let left = rows;
  for (let index = written.lines.length - 1; left > 0; index--) {
    const line = written.lines[index];
    // A character of two columns may wrap one column early, so such a line may take a row more.
    if (line === undefined || (!written.isAscii && 2 * line.length > width)) return undefined;
    const taken = Math.max(1, Math.ceil(line.length / width));
    const text = trimBlanks(taken > left ? line.slice((taken - left) * width) : line);
    if (text !== '') kept.push(text);
    left -= taken;
  }
  return { lines: kept.reverse(), col };
}

/** Returns the cursor's column; undefined when the next character would wrap, or when characters may be wide. */
function cursorColumn({ lines, isAscii, isAtLineStart }: WrittenLines, cols: number): number | undefined {
  if (isAtLineStart) return 0;
  const col = lines.at(-1)!.length % Math.max(cols, MIN_XTERM_COLS);
  // xterm gives a terminal of one column two columns.
  return isAscii && col > 0 ? Math.min(col, cols - 1) : undefined;
}
