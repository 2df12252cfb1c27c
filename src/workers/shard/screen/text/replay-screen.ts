import type { Terminal } from '@xterm/headless';
import { type BufferInternals, internals, ParserState, type XtermInternals } from '../xterm/internals.js';
import { RESET } from '../xterm/reset.js';
import { resizeTerminal } from '../xterm/resize.js';
import { SteppedParser } from '../xterm/stepped-parser.js';
import { createTerminal } from '../xterm/terminal.js';
import { UnfinishedSequence } from '../xterm/unfinished-sequence.js';
import { FULL_ROW } from './full-row.js';
import { cellsText, emptyCells, isFullRow, rowText, textRows, trimBlanks } from './lines.js';
import type { PrintStart } from './print-start.js';
import { RowPlace } from './row-place.js';

/**
 * Most bytes parsed before scrolled-off rows are taken. A byte adds at most one row, so the scrollback loses none. It is
 * short, since each reset makes room for all its rows.
 */
export const PIECE_BYTES = 1024;
const SCROLLBACK = PIECE_BYTES + 16;
/** Fewest rows above the screen while it is resized. */
const RESIZED_SCROLLBACK = 5 * 1024;

/** Which lines are returned, and how. */
export interface Lines {
  /** Whether to return empty lines, too. */
  keepsEmpty: boolean;
  /** Whether {@link FULL_ROW} follows a line that may go on in the next row. */
  marksFull?: boolean | undefined;
}

/** A screen whose text is collected before it scrolls away or is cleared. */
export class ReplayScreen {
  readonly #term: Terminal;
  readonly #core: XtermInternals;
  readonly #tail = new UnfinishedSequence();
  readonly #parser: SteppedParser;
  #start!: PrintStart;
  /** The row on which printing began; undefined if it was on the alternate screen. */
  #firstRow: RowPlace | undefined;
  #how!: Lines;
  readonly #lines: string[] = [];
  /** Text of the logical line whose first rows are already taken. */
  #open = '';
  /** Length of `#open` that is kept even if it ends with blanks, because the cursor was left after them. */
  #kept = 0;
  /** Whether earlier text was cleared, so that empty rows count only from the next text on. */
  #isCleared = false;
  #hasText = false;

  constructor(start: PrintStart, how: Lines) {
    this.#term = createTerminal(start.cols, start.rows, SCROLLBACK);
    this.#core = internals(this.#term);
    this.#parser = new SteppedParser(this.#core);
    this.restart(start, how);
    this.#keepCleared();
  }

  /** Makes the screen empty, as a new one is. Returns false if the output so far ends within a sequence or a character. */
  reset(): boolean {
    const { currentState } = this.#core._inputHandler._parser;
    if (currentState !== ParserState.ground || this.#tail.length > 0 || !this.#parser.isDone) return false;
    this.#parser.parse(RESET);
    // A reset takes the text of the screen, too.
    this.#lines.splice(0);
    this.#open = '';
    this.#kept = 0;
    this.#isCleared = false;
    this.#hasText = false;
    return true;
  }

  /** Begins another range. The screen must be new, or reset, and of this size. */
  restart(start: PrintStart, how: Lines): void {
    this.#start = start;
    this.#how = how;
    const { altScreen, row, col } = start;
    this.#parser.parse(Buffer.from(`${altScreen ? '\x1b[?47h' : ''}\x1b[${row + 1};${col + 1}H`));
    const { normal } = this.#core.buffers;
    this.#firstRow = altScreen ? undefined : new RowPlace(normal.lines, normal.ybase + normal.y);
  }

  /** Returns whether it has this size, and was never resized. */
  isOf({ cols, rows }: Pick<PrintStart, 'cols' | 'rows'>): boolean {
    const isResized = this.#term.options.scrollback !== SCROLLBACK;
    return this.#core.cols === cols && this.#core.rows === rows && !isResized;
  }

  /** Takes at most {@link PIECE_BYTES} of output, which {@link step} prints. */
  begin(bytes: Uint8Array): void {
    this.#parser.begin(this.#tail.wholeCharacters(bytes));
  }

  /** Prints for a few milliseconds; true while there is more. */
  step(): boolean {
    if (this.#parser.step()) return true;
    this.#takeScrolledOff();
    return false;
  }

  resize(cols: number, rows: number): void {
    this.#takeScrolledOff(0);
    // Room for all rows into which the rows of the screen may wrap: each holds at least one column less than its width,
    // since a wide character may not fit into its last column.
    const held = Math.max(1, cols - 1);
    const wrapped = this.#core.buffers.normal.lines.length * Math.ceil(this.#core.cols / held);
    this.#term.options.scrollback = Math.max(RESIZED_SCROLLBACK, wrapped);
    resizeTerminal(this.#term, cols, rows);
    this.#takeScrolledOff();
  }

  /**
   * Whether the cursor is on the first column of an empty row with nothing below it, and text is written as on a new
   * screen: later output continues the text line by line.
   */
  get isAtNewLine(): boolean {
    const { buffers, coreService, rows, _charsetService: charsets } = this.#core;
    const { normal, active } = buffers;
    const { origin, wraparound, reverseWraparound } = coreService.decPrivateModes;
    const isChanged = origin || !wraparound || reverseWraparound || coreService.modes.insertMode;
    const hasMargins = normal.scrollTop !== 0 || normal.scrollBottom !== rows - 1;
    if (active !== normal || normal.x !== 0 || isChanged || hasMargins || charsets.charset) return false;
    return textRows(normal) <= normal.ybase + normal.y;
  }

  /**
   * Returns the lines above the cursor, which must be at a new line, and continues as on an empty screen. Above the
   * cursor it leaves an empty row if there are two, since erasing from the first row on counts as clearing the screen.
   */
  takeLines(): string[] {
    const { normal } = this.#core.buffers;
    this.#takeScrolledOff(0);
    const count = normal.y;
    this.#take(normal, count);
    this.#endLine(false);
    const row = Math.min(count, 1);
    normal.lines.trimStart(count - row);
    for (let added = 0; added < count - row; added++) normal.lines.push(normal.getBlankLine());
    if (row > 0) normal.lines.set(0, normal.getBlankLine());
    normal.y = row;
    this.#firstRow?.set(row);
    return this.#lines.splice(0);
  }

  finish(alternate: boolean): string[] {
    const { normal, alt, active } = this.#core.buffers;
    const hasDrawing = alternate && active === alt;
    const cursorRows = hasDrawing ? 0 : normal.ybase + normal.y + 1;
    this.#take(normal, Math.max(textRows(normal), cursorRows), this.#cursorRow(normal));
    this.#endLine(false);
    if (hasDrawing) {
      this.#hasText = false;
      this.#take(alt, textRows(alt), this.#cursorRow(alt));
      this.#endLine(false);
    }
    return this.#lines.splice(0);
  }

  dispose(): void {
    this.#term.dispose();
  }

  /** Takes the text before it is cleared, and keeps ED 3 from clearing rows that have scrolled off. */
  #keepCleared(): void {
    for (const prefix of ['', '?']) {
      this.#term.parser.registerCsiHandler({ ...(prefix && { prefix }), final: 'J' }, ([what]) => {
        const { active, normal } = this.#core.buffers;
        const isAll = what === 2 || (what === 0 && active.x === 0 && active.y === 0);
        if (isAll && active === normal) this.#takeScreen();
        return what === 3;
      });
    }
    this.#term.parser.registerEscHandler({ final: 'c' }, () => {
      this.#takeScreen();
      return false;
    });
  }

  #takeScreen(): void {
    const { normal } = this.#core.buffers;
    this.#takeScrolledOff(0);
    this.#take(normal, textRows(normal));
    this.#endLine(false);
    this.#isCleared = true;
    this.#hasText = false;
  }

  /**
   * Takes rows that have scrolled off. Leaves the last `left` of them: whether the row below continues the last one can
   * still change while that row is on the screen, and the text must not depend on where pieces of output end.
   */
  #takeScrolledOff(left = 1): void {
    const { normal } = this.#core.buffers;
    const count = normal.ybase - left;
    if (count <= 0) return;
    this.#take(normal, count);
    normal.lines.trimStart(count);
    normal.savedY -= count;
    normal.ybase = left;
    normal.ydisp = left;
  }

  /**
   * Takes the text of the buffer's first `count` rows. A logical line that continues after them stays open. If the
   * cursor's row is given, blanks before the cursor on that row are kept.
   */
  #take(buffer: BufferInternals, count: number, cursorRow?: number): void {
    for (let index = 0; index < count; index++) {
      const line = buffer.lines.get(index)!;
      const next = index + 1 < buffer.lines.length ? buffer.lines.get(index + 1) : undefined;
      const text = rowText(line, next?.isWrapped ? next : undefined);
      const from = this.#isFirst(buffer, index) ? emptyCells(line, this.#start.col) : 0;
      if (index === cursorRow)
        this.#kept = this.#open.length + cellsText(line, buffer.x).slice(from, text.length).length;
      this.#open += text.slice(from);
      if (!next?.isWrapped)
        this.#endLine(this.#how.keepsEmpty && this.#isPrinted(buffer, index), isFullRow(line));
    }
  }

  #endLine(evenEmpty: boolean, isFull = false): void {
    const text = this.#open.slice(0, Math.max(this.#kept, trimBlanks(this.#open).length));
    if (text !== '' || evenEmpty) this.#lines.push(isFull && this.#how.marksFull ? text + FULL_ROW : text);
    if (text !== '') this.#hasText = true;
    this.#open = '';
    this.#kept = 0;
  }

  /** The row on which blanks before the cursor count; undefined if empty rows do not count or another buffer shows. */
  #cursorRow(buffer: BufferInternals): number | undefined {
    const isShowing = buffer === this.#core.buffers.active;
    return this.#how.keepsEmpty && isShowing ? buffer.ybase + buffer.y : undefined;
  }

  /**
   * Returns whether an empty row counts as printed: it does from the row on which printing began. After a clear, and on
   * the alternate screen, it does once text has been taken.
   */
  #isPrinted(buffer: BufferInternals, index: number): boolean {
    const firstRow = buffer === this.#core.buffers.normal && !this.#isCleared && this.#firstRow;
    return firstRow ? index >= firstRow.index : this.#hasText;
  }

  #isFirst(buffer: BufferInternals, index: number): boolean {
    if (buffer === this.#core.buffers.normal) return this.#firstRow?.isAt(index) ?? false;
    return this.#start.altScreen && index === this.#start.row;
  }
}
