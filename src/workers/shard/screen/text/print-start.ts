/** Size of the screen, and its cursor where a range of output begins; row and column are counted from 0. */
export interface PrintStart {
  cols: number;
  rows: number;
  row: number;
  col: number;
  altScreen: boolean;
}

/** Returns where output begins on a screen of this size. If the cursor is unknown, it is as on a new last row. */
export function printStart(
  { cols, rows }: Pick<PrintStart, 'cols' | 'rows'>,
  { row = rows - 1, col = 0, altScreen = false }: Partial<PrintStart> = {},
): PrintStart {
  return { cols, rows, row, col, altScreen };
}

/** Returns where a line is rendered by itself: below the first row, see `ReplayScreen.takeLines`. */
export function lineStart({ cols, rows }: Pick<PrintStart, 'cols' | 'rows'>): PrintStart {
  return printStart({ cols, rows }, { row: Math.min(1, rows - 1) });
}
