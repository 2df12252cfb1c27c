import { MAX_SCREENSHOT_PIXELS } from '../../../contract/limits.js';

/** Of one column and one row, in pixels. */
export interface CellSize {
  width: number;
  height: number;
}

/** Text of 15 px: what people and models read without effort. */
const FULL_WIDTH = 9;
const FULL_HEIGHT = 19;

/**
 * The largest cells, up to the full size, with which a terminal of this size is a picture within the bound of
 * pixels. Whole pixels, so that what is drawn in neighbouring cells joins.
 */
export function cellSize(cols: number, rows: number): CellSize {
  for (let width = FULL_WIDTH; ; width--) {
    const height = Math.round((width * FULL_HEIGHT) / FULL_WIDTH);
    if (width === 1 || cols * width * rows * height <= MAX_SCREENSHOT_PIXELS) return { width, height };
  }
}
