import { CR, DEL, ESC, LF, SPACE, TAB } from '../../../ascii.js';
import { columnAfter, columnAfterTab } from '../xterm/columns.js';

const LETTER_K = 0x4b;
const LETTER_M = 0x6d;

/** Place where a screen continues to print. */
export interface PrintPlace {
  /** Columns of the screen, as xterm counts them. */
  cols: number;
  /** Column of the cursor, from 0; `cols` if it is about to wrap. */
  column: number;
  hasStandardTabs: boolean;
  /** Returns the columns that a character takes. */
  widthOf: (codePoint: number) => number;
}

/** Follows the column of the cursor through plain output (see PlainScan), which may be cut anywhere. */
export class ColumnCounter {
  readonly #place: PrintPlace;
  #column: number;
  #isEscaped = false;
  /** Code point so far of an unfinished character, and the number of its bytes to come. */
  #codePoint = 0;
  #left = 0;
  #isKnown = true;

  /** Begins at the place. */
  constructor(place: PrintPlace) {
    this.#place = place;
    this.#column = place.column;
  }

  /**
   * Column of the cursor. Undefined where only a screen knows it: behind a character that takes no column, and behind a
   * tab if tab stops were moved.
   */
  get column(): number | undefined {
    return this.#isKnown ? this.#column : undefined;
  }

  push(bytes: Uint8Array): void {
    const { cols } = this.#place;
    const { length } = bytes;
    for (let at = 0; at < length && this.#isKnown; ) {
      const byte = bytes[at]!;
      if (byte < SPACE || byte >= DEL || this.#isEscaped) {
        this.#take(byte);
        at++;
        continue;
      }
      const from = at;
      while (at < length && bytes[at]! >= SPACE && bytes[at]! < DEL) at++;
      this.#column = columnAfter(this.#column, at - from, cols);
    }
  }

  #take(byte: number): void {
    const { cols, hasStandardTabs } = this.#place;
    if (this.#isEscaped) this.#isEscaped = byte !== LETTER_K && byte !== LETTER_M;
    else if (byte >= 0x80) this.#takePart(byte);
    else if (byte === CR) this.#column = 0;
    // The cursor goes straight down, also if it was about to wrap.
    else if (byte === LF) this.#column = Math.min(this.#column, cols - 1);
    else if (byte === ESC) this.#isEscaped = true;
    else if (byte === TAB && !hasStandardTabs) this.#isKnown = false;
    else if (byte === TAB) this.#column = columnAfterTab(this.#column, cols);
  }

  /** Takes a byte of a character of several bytes. */
  #takePart(byte: number): void {
    if (this.#left === 0) {
      this.#left = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
      this.#codePoint = byte & (0x3f >> this.#left);
      return;
    }
    this.#codePoint = (this.#codePoint << 6) | (byte & 0x3f);
    if (--this.#left === 0) this.#print(this.#place.widthOf(this.#codePoint));
  }

  #print(width: number): void {
    if (width === 0) this.#isKnown = false;
    // A character that does not fit wraps.
    else this.#column = this.#column + width > this.#place.cols ? width : this.#column + width;
  }
}
