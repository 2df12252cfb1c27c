import type { Terminal } from '@xterm/headless';
import { attributesAt, textAt } from '../../shard/screen/serialize/cells.js';
import { Colors } from '../../shard/screen/serialize/colors.js';
import {
  Content,
  internals,
  type LineInternals,
  type XtermInternals,
} from '../../shard/screen/xterm/internals.js';
import { createTerminal, writeSync } from '../../shard/screen/xterm/terminal.js';
import { type CellStyle, CellStyles } from './cell-style.js';

/** Characters of one write: xterm's buffers grow with the largest write. */
const SLICE_CHARS = 64 * 1024;

/** Characters drawn of one cell. A program may combine any number, but more are a mere blot and take long to draw. */
const MAX_CELL_CHARS = 32;

/** One column of a row. */
export interface Cell {
  /** A character with its combining characters; empty for no character, or the second half of a wide one. */
  text: string;
  /** Columns that the character occupies. */
  span: 1 | 2;
  style: CellStyle;
}

/** The cursor; rows and columns count from 0. */
export interface Cursor {
  row: number;
  col: number;
  style: 'block' | 'underline' | 'bar';
}

/** The screen of a terminal, made by writing its snapshot into a terminal of the same size. */
export class ShownScreen {
  readonly #term: Terminal;
  readonly #core: XtermInternals;
  readonly styles: CellStyles;

  constructor(snapshot: string, cols: number, rows: number) {
    this.#term = createTerminal(cols, rows, 0);
    this.#core = internals(this.#term);
    const colors = new Colors(this.#term.parser, () => {});
    for (let from = 0; from < snapshot.length; from += SLICE_CHARS)
      writeSync(this.#term, snapshot.slice(from, from + SLICE_CHARS));
    this.styles = new CellStyles(colors);
  }

  /** Columns; xterm has at least two. */
  get cols(): number {
    return this.#core.cols;
  }

  get rows(): number {
    return this.#core.rows;
  }

  /** Returns a row as one cell for each column. */
  row(index: number): Cell[] {
    const { active } = this.#core.buffers;
    const line = active.lines.get(active.ybase + index);
    return Array.from({ length: this.cols }, (_, col) => this.#cell(line, col));
  }

  /** The cursor; undefined while the program hides it. A cursor about to wrap is on the last column. */
  get cursor(): Cursor | undefined {
    const { buffers, coreService } = this.#core;
    if (coreService.isCursorHidden) return undefined;
    const { x, y } = buffers.active;
    const style = coreService.decPrivateModes.cursorStyle ?? 'block';
    return { row: y, col: Math.min(x, this.cols - 1), style };
  }

  dispose(): void {
    this.#term.dispose();
  }

  #cell(line: LineInternals | undefined, col: number): Cell {
    if (!line || col >= line.length) return { text: '', span: 1, style: this.styles.plain };
    const isWide = line._data[col * 3]! >>> Content.widthShift === 2 && col + 1 < this.cols;
    const style = this.styles.of(attributesAt(line, col));
    return { text: bounded(textAt(line, col)), span: isWide ? 2 : 1, style };
  }
}

function bounded(text: string): string {
  return text.length <= MAX_CELL_CHARS ? text : text.slice(0, MAX_CELL_CHARS).replace(/[\ud800-\udbff]$/, '');
}
