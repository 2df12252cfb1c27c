/** Columns from one standard tab stop to the next. */
export const TAB_WIDTH = 8;

/**
 * Returns the column after printing `printed` characters of one column each on a screen of `cols` columns; `cols` means
 * that the cursor is about to wrap.
 */
export function columnAfter(column: number, printed: number, cols: number): number {
  return printed === 0 ? column : ((column + printed - 1) % cols) + 1;
}

/** Returns the column after a tab: that of the next standard stop, at most the last. About to wrap, the cursor stays. */
export function columnAfterTab(column: number, cols: number): number {
  if (column >= cols) return column;
  return Math.min(cols - 1, (Math.floor(column / TAB_WIDTH) + 1) * TAB_WIDTH);
}
