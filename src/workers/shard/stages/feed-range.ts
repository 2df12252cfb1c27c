import type { History, Segment } from '../history.js';
import type { ReadCursor } from '../reader.js';
import type { RangeOutput } from './range-output.js';

/** Output gathered since the last cut. */
export interface FeedRange {
  start: number;
  bytes: number;
  /** Undefined before any output, and when the output is left out. */
  output: RangeOutput | History | undefined;
  /** Whether output is counted but not kept, until there is room again. */
  isLeftOut: boolean;
  /** Whether the setting `search.index` was off: the output is then not fed, and not counted as left out. */
  isOff: boolean;
  /** Whether the screen was resized where the output begins. */
  isResized: boolean;
  /** Bytes of the renderer's room that are reserved for the output. */
  reserved: number;
}

/** Beginning of a range: its cursor, and the bytes of a sequence that the previous range left unfinished. */
export interface Beginning {
  cursor: ReadCursor;
  carry: Segment[];
  /** Size of the screen where the carry begins. */
  size: { cols: number; rows: number } | undefined;
}
