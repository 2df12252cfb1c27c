import type { History, Segment } from '../history.js';
import type { ReadCursor } from '../reader.js';

/** Output that has gathered since the last cut. */
export interface Stretch {
  start: number;
  bytes: number;
  /** Undefined until something is printed, and when it is left out. */
  history: History | undefined;
  /** It goes on without being kept until there is room again. */
  isLeftOut: boolean;
  /** Printed while the setting was off: stays out, and counts as nothing. */
  isOff: boolean;
  /** The screen was resized where it begins. */
  isResized: boolean;
  /** Bytes of the renderer's room that it has. */
  reserved: number;
}

/** Where a stretch begins: on the screen, and after the bytes of a sequence that the one before left unfinished. */
export interface Beginning {
  cursor: ReadCursor;
  carry: Segment[];
  /** Size of the screen where the carry begins. */
  size: { cols: number; rows: number } | undefined;
}
