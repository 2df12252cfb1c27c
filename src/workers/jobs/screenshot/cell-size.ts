import { MAX_SCREENSHOT_SIDE } from '../../../contract/limits.js';

/** Size of a cell, one column by one row, in pixels. */
export interface CellSize {
  width: number;
  height: number;
}

/** Width of a full-size cell, for text of 15 px, which people and models read without effort. */
const FULL_WIDTH = 9;
const FULL_HEIGHT = 19;

/**
 * Returns the largest cells, up to the full size, with which no side of the picture exceeds MAX_SCREENSHOT_SIDE. Sizes
 * are whole pixels, so that shapes in neighbouring cells join.
 */
export function cellSize(cols: number, rows: number): CellSize {
  for (let width = FULL_WIDTH; ; width--) {
    const height = Math.round((width * FULL_HEIGHT) / FULL_WIDTH);
    const side = Math.max(cols * width, rows * height);
    if (width === 1 || side <= MAX_SCREENSHOT_SIDE) return { width, height };
  }
}
