import { BS, C1_LEAD, CR, DEL, ESC, FF, LF, SHIFT_OUT, SPACE, TAB, VT } from '../../../ascii.js';
import { unfinishedCharacter } from '../../unfinished-character.js';
import type { PrintStart } from '../text/print-start.js';
import type { Segment } from '../text/printed.js';
import { columnAfter } from '../xterm/columns.js';
import { EscapeReader } from '../xterm/escape-reader.js';
import { MIN_XTERM_COLS, widthOf } from '../xterm/terminal.js';
import { linesIn, type WrittenLines } from './written-lines.js';

/** Longer output is left to a screen: it would be copied as a whole. */
const MAX_BYTES = 64 * 1024;

/** The cursor goes right, left, or to a column, or the rest of the row is erased. */
const EDIT = /^\x1b\[(\d{0,5})([CDGKJ])$/;

/** A cell in which nothing was written. */
const EMPTY = 0;
const NUL = /\0/g;

/**
 * Returns all lines of output in which a line editor goes back and forth within its row, as shells do when they draw a
 * pasted command once more. Undefined for other output, and where a row that is full could go on in the next row.
 */
export function editedLines(segments: readonly Segment[], start: PrintStart): WrittenLines | undefined {
  const parts = segments.flatMap((segment) => ('bytes' in segment ? [segment.bytes] : []));
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  const cols = Math.max(start.cols, MIN_XTERM_COLS);
  const isOther = parts.length < segments.length || bytes > MAX_BYTES || start.col >= cols - 1;
  if (isOther) return undefined;
  const output = Buffer.concat(parts, bytes);
  const rows = new EditedRows(start.col, cols, bytes);
  const sequence = new EscapeReader();
  let begin = 0;
  for (let at = 0; at < bytes; at++) {
    const byte = output[at]!;
    if (byte === ESC) begin = at;
    if ((byte < SPACE || byte === DEL) && unfinishedCharacter(output.subarray(0, at)) > 0) return undefined;
    if (sequence.isOpen) {
      const effect = sequence.take(byte);
      if (effect === undefined || effect === 'none') continue;
      if (effect === 'moves' || !rows.edit(output.toString('latin1', begin, at + 1))) return undefined;
    } else if (byte === ESC) sequence.open();
    else if (!rows.take(byte)) return undefined;
  }
  const written = linesIn(rows.end(), rows.isAtStart && !sequence.isOpen, start);
  const isFullAt = (line: string, index: number) =>
    isFull(line, index === 0 ? start.col : 0, cols, written?.isAscii ?? false);
  return written?.lines.some(isFullAt) ? undefined : written;
}

/** Returns whether the last row of a line that begins in column `col` has text in its last column. */
function isFull(line: string, col: number, cols: number, isAscii: boolean): boolean {
  if (isAscii) return columnAfter(col, line.length, cols) === cols;
  let column = col;
  for (const character of line) {
    const width = widthOf(character.codePointAt(0)!);
    column = column + width > cols ? width : column + width;
  }
  return column === cols;
}

/** The rows of a screen on which output is written from top to bottom. A row in which the cursor goes back is ASCII. */
class EditedRows {
  readonly #cols: number;
  /** Number of columns before the first text. */
  readonly #col: number;
  /** Bytes of the present row, from its first column on. */
  readonly #row: Buffer;
  #length: number;
  /** Place of the cursor in the row. */
  #at: number;
  /** Whether the cursor has gone back, or over cells in which nothing was written. */
  #isEdited = false;
  #isFirst = true;
  #text = '';

  constructor(col: number, cols: number, bytes: number) {
    this.#cols = cols;
    this.#col = col;
    this.#row = Buffer.alloc(cols + col + bytes);
    this.#length = col;
    this.#at = col;
  }

  /** Whether the cursor is in the first column, with no unfinished character before it. */
  get isAtStart(): boolean {
    return this.#at === 0;
  }

  /** Takes a byte of text, or a control; returns false if only a screen knows its effect. */
  take(byte: number): boolean {
    if (byte === LF) return this.#endRow();
    if (byte === CR) {
      this.#at = 0;
      return true;
    }
    if (byte === BS) return this.#moveTo(this.#at - 1);
    if (byte === VT || byte === FF || byte === SHIFT_OUT) return false;
    if (byte === DEL || (byte < SPACE && byte !== TAB)) return true;
    return this.#print(byte);
  }

  /** Takes a sequence; returns false if only a screen knows its effect. */
  edit(sequence: string): boolean {
    const [, parameter = '', final] = EDIT.exec(sequence) ?? [];
    const number = Number(parameter);
    if (final === 'C') return this.#moveTo(this.#at + (number || 1));
    if (final === 'D') return this.#moveTo(this.#at - (number || 1));
    if (final === 'G') return this.#moveTo((number || 1) - 1);
    if (final === undefined || number !== 0) return false;
    if (this.#at === this.#length) return true;
    // To erase the screen from its first cell on counts as clearing it.
    if (!this.#begin() || (final === 'J' && this.#at === 0)) return false;
    this.#length = Math.min(this.#length, this.#at);
    return true;
  }

  /** Returns the text of all rows, with line feeds between them. */
  end(): string {
    return this.#text + this.#rowText();
  }

  #print(byte: number): boolean {
    const isNew = this.#at === this.#length;
    if (!this.#isEdited && isNew) {
      // A C1 control, which may be a sequence of its own.
      if (byte >= 0x80 && byte < 0xa0 && this.#row[this.#at - 1] === C1_LEAD) return false;
    } else if (!this.#begin() || byte === TAB || byte > DEL || this.#at >= this.#cols - 1) return false;
    this.#row.fill(EMPTY, this.#length, this.#at);
    this.#row[this.#at++] = byte;
    this.#length = Math.max(this.#length, this.#at);
    return true;
  }

  /** Begins to edit the row; returns false if its cells are not known by its bytes. */
  #begin(): boolean {
    if (this.#isEdited) return true;
    this.#isEdited = this.#length < this.#cols && this.#row.subarray(0, this.#length).every(isOneCell);
    return this.#isEdited;
  }

  #moveTo(column: number): boolean {
    if (!this.#begin()) return false;
    this.#at = Math.max(0, Math.min(column, this.#cols - 1));
    return true;
  }

  #endRow(): boolean {
    if (this.#at !== 0) return false;
    this.#text += `${this.#rowText()}\n`;
    this.#length = 0;
    this.#isEdited = false;
    this.#isFirst = false;
    return true;
  }

  #rowText(): string {
    const row = this.#row.subarray(0, this.#length);
    const printed = row.findIndex((byte) => byte !== EMPTY);
    const from = this.#isFirst ? Math.min(this.#col, printed < 0 ? this.#length : printed) : 0;
    return row.toString('utf8', from).replace(NUL, ' ');
  }
}

function isOneCell(byte: number): boolean {
  return byte < DEL && byte !== TAB;
}
