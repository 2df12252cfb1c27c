import { MAX_SCREENSHOT_SIDE } from '../../../contract/limits.js';

/** Of one column and one row, in pixels. */
export interface CellSize {
  width: number;
  height: number;
}

/** Text of 15 px: what people and models read without effort. */
const FULL_WIDTH = 9;
const FULL_HEIGHT = 19;

/**
 * The largest cells, up to the full size, with which no side of the picture of a terminal of this size is over the
 * bound. Whole pixels, so that what is drawn in neighbouring cells joins.
 */
export function cellSize(cols: number, rows: number): CellSize {
  for (let width = FULL_WIDTH; ; width--) {
    const height = Math.round((width * FULL_HEIGHT) / FULL_WIDTH);
    const side = Math.max(cols * width, rows * height);
    if (width === 1 || side <= MAX_SCREENSHOT_SIDE) return { width, height };
  }
}
