import type { KeyModes } from './screen/backlog/place.js';

/** Place of a terminal's output at this moment. */
export interface PlaceStatus {
  cursor: string;
  /** Bytes of output taken. */
  position: number;
  /** Time of the last output, or of taking the terminal in if there was none, on the clock of `hrMs`. */
  printedAt: number;
  /** Milliseconds since `printedAt`. */
  quietMs: number;
  modes: ScreenModes;
}

/** Contents of a screen at this moment. */
export interface ScreenStatus extends PlaceStatus {
  /** Text of each row of the screen, trailing blanks cut. */
  rows: string[];
  /** The same text as lines: wrapped rows are joined, and blanks that were written are kept. */
  shown: string;
  /** Title that the program has set; empty if it has set none. */
  title: string;
  /** Row of the cursor, counted from 0 at the top. */
  cursorRow: number;
}

interface ScreenModes extends KeyModes {
  altScreen: boolean;
}
