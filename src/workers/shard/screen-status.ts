/** Contents of a screen at this moment. */
export interface ScreenStatus {
  /** Text of each row of the screen, trailing blanks cut. */
  rows: string[];
  /** The same text as lines: wrapped rows are joined, and blanks that were written are kept. */
  shown: string;
  /** Title that the program has set; empty if it has set none. */
  title: string;
  cursor: string;
  /** Row of the cursor, counted from 0 at the top. */
  cursorRow: number;
  /** Bytes of output parsed. */
  position: number;
  /** When the last output came, as `hrMs` tells it, or when the shard took the terminal in if none has come. */
  printedAt: number;
  /** Milliseconds since then. */
  quietMs: number;
  modes: ScreenModes;
}

/** Modes that keys and pastes depend on. */
interface ScreenModes {
  bracketedPaste: boolean;
  /** Cursor keys send SS3 in place of CSI. */
  applicationCursor: boolean;
  altScreen: boolean;
}
