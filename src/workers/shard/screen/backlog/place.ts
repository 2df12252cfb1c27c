import type { Cursor } from '../../read-cursor.js';
import type { PrintPlace } from './column-counter.js';

/** Modes that keys and pastes depend on. */
export interface KeyModes {
  bracketedPaste: boolean;
  /** Cursor keys send SS3 in place of CSI. */
  applicationCursor: boolean;
}

/** State of a screen that is known without parsing its held output. */
export interface Place {
  cursor: Cursor;
  modes: KeyModes;
}

/** Place where output continues, on a screen that `isForwardOnly`. */
export interface TrackedPlace extends PrintPlace {
  rows: number;
  row: number;
  /** Columns of the terminal. `cols` differs in a terminal of one column: xterm has at least two. */
  shownCols: number;
  modes: KeyModes;
}
