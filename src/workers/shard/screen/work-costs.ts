import type { BufferInternals, RawParams, XtermInternals } from './xterm/internals.js';

/** Costs of parts of xterm's work on an ordinary machine, in nanoseconds per cell, row, column or call. */
const ERASE_CELL = 6;
const ERASE_PROTECTED_CELL = 12;
const SHIFT_CELL = 15;
const MAKE_CELL = 18;
const FILL_CELL = 10;
const NEW_CELL = 4;
const PRINT_CELL = 50;
const TAB_COLUMN = 20;
const MOVE_ROW = 40;
const TOUCH_ROW = 150;
const CALL = 300;

/** Modes whose DECSET and DECRST enter or leave the alternate screen, whose rows are made anew. */
const ALTERNATE_MODES = [47, 1047, 1049];

/** Estimates the cost of short sequences that cause much work, on a screen of this size, in nanoseconds. */
export class WorkCosts {
  readonly #core: XtermInternals;

  constructor(core: XtermInternals) {
    this.#core = core;
  }

  get #active(): BufferInternals {
    return this.#core.buffers.active;
  }

  get #cells(): number {
    return this.#core.cols * this.#core.rows;
  }

  /** Whether there are margins. Scrolling within margins moves rows one by one. */
  get hasMargins(): boolean {
    const { scrollTop, scrollBottom } = this.#active;
    return scrollTop !== 0 || scrollBottom !== this.#core.rows - 1;
  }

  /** Cost of scrolling by a row. */
  get scroll(): number {
    const { cols, rows } = this.#core;
    return CALL + cols * NEW_CELL + (this.hasMargins ? rows * MOVE_ROW : 0);
  }

  /** Cost of deleting a row and inserting a row. */
  get rowReplaced(): number {
    const { cols, rows } = this.#core;
    return CALL + cols * NEW_CELL + 2 * rows * MOVE_ROW;
  }

  get changeInRow(): number {
    return CALL + this.#core.cols * SHIFT_CELL;
  }

  get changeInAllRows(): number {
    return CALL + this.#core.rows * TOUCH_ROW + this.#cells * SHIFT_CELL;
  }

  get fill(): number {
    return CALL + this.#core.rows * TOUCH_ROW + this.#cells * FILL_CELL;
  }

  /** Cost of a full reset, which makes both screens anew. */
  get reset(): number {
    return 50 * CALL + this.#core.rows * TOUCH_ROW + 2 * this.#cells * MAKE_CELL;
  }

  erase(params: RawParams, isSelective: boolean): number {
    const { cols, rows } = this.#core;
    const { y } = this.#active;
    const affected = [rows - y, y + 1, rows][params.params[0]!] ?? 0;
    return CALL + affected * (TOUCH_ROW + cols * (isSelective ? ERASE_PROTECTED_CELL : ERASE_CELL));
  }

  modes(params: RawParams): number {
    const isSwitch = params.params.subarray(0, params.length).some((mode) => ALTERNATE_MODES.includes(mode));
    return isSwitch ? CALL + this.#core.rows * TOUCH_ROW + this.#cells * MAKE_CELL : 0;
  }

  tabs(columns: number): number {
    return columns * TAB_COLUMN;
  }

  /** Returns the cost of backward and forward tabs. xterm repeats them even after the cursor has reached the edge. */
  tabSequence(params: RawParams): number {
    return params.params[0]! * CALL + this.tabs(this.#core.cols);
  }

  repeated(params: RawParams): number {
    return params.params[0]! * PRINT_CELL;
  }

  /** Cost of printing a character of text. */
  get character(): number {
    const { cols, rows, coreService } = this.#core;
    const inserted = coreService.modes.insertMode ? 2 * cols * SHIFT_CELL : 0;
    // A wide character takes two columns, so a line may wrap twice as often.
    const wrapped = this.hasMargins ? (2 * rows * MOVE_ROW) / cols : 0;
    return PRINT_CELL + inserted + wrapped;
  }
}
