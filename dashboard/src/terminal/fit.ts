import type { TerminalSize } from '../../../src/client/browser.js';

/** Smallest font in which a terminal is shown, in pixels; below it, the pane scrolls. */
const MIN_FONT_PX = 6;
/** Largest: a small terminal is not blown up to fill the window. */
const MAX_FONT_PX = 18;
const STEP_PX = 0.25;
/** Font size for which "Take this window's size" computes the size, and of the choice "13 px". */
export const READING_FONT_PX = 13;
/** Width that xterm's own scrollbar takes. */
export const SCROLLBAR_PX = 14;

export interface Box {
  width: number;
  height: number;
}

/** Size of a cell at a font size; rows are whole pixels of the display, columns are not. */
export type CellAt = (fontPx: number) => Box;

/** Returns the largest font in which the whole terminal fits into the pane. */
export function fontThatFits(pane: Box, { cols, rows }: TerminalSize, cellAt: CellAt): number {
  for (let font = MAX_FONT_PX; font > MIN_FONT_PX; font -= STEP_PX) {
    const { width, height } = cellAt(font);
    if (cols * width + SCROLLBAR_PX <= pane.width && rows * height <= pane.height) return font;
  }
  return MIN_FONT_PX;
}

/** Returns the largest font in which the columns fit, whether or not the rows do: a phone is higher than it is wide. */
export function fontThatFitsWidth(pane: Box, { cols }: TerminalSize, cellAt: CellAt): number {
  return fontThatFits({ width: pane.width, height: Number.POSITIVE_INFINITY }, { cols, rows: 1 }, cellAt);
}

/** Returns the size of a terminal that fills the pane in a font for reading. */
export function sizeThatFits(pane: Box, cellAt: CellAt): TerminalSize {
  const { width, height } = cellAt(READING_FONT_PX);
  return {
    cols: Math.max(2, Math.floor((pane.width - SCROLLBAR_PX) / width)),
    rows: Math.max(1, Math.floor(pane.height / height)),
  };
}
