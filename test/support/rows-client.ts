import type { IBufferCell, Terminal } from '@xterm/headless';
import { RGB_COLOR, RUN_FLAGS } from '../../src/contract/run-style.js';
import type { Run, ScreenRows } from '../../src/contract/screen-rows.js';

/** A row as a client draws it: its runs, each with its style. */
type Row = readonly Run[];

/** A client that draws the rows of `screen.rows` events. */
export class RowsClient {
  #frame: Omit<ScreenRows, 'lines' | 'from'> | undefined;
  #rows: Row[] = [];

  /** Number of the last frame; null before the first. */
  get base(): number | null {
    return this.#frame?.n ?? null;
  }

  /** Takes an event's data. Throws if the frame does not build on the last frame. */
  take({ from, lines, ...frame }: ScreenRows): void {
    if (from !== null && from !== this.base)
      throw new Error(`frame ${frame.n} builds on ${from}, and not on ${this.base}`);
    if (from === null) this.#rows = Array.from({ length: frame.rows }, () => []);
    for (const [row, runs] of lines) this.#rows[row] = runs;
    this.#frame = frame;
  }

  /** The drawn screen. */
  get shown(): Shown {
    if (!this.#frame) throw new Error('nothing is drawn yet');
    const { n: _n, ...frame } = this.#frame;
    return { ...frame, lines: this.#rows };
  }

  /** The text of the rows. */
  get texts(): string[] {
    return this.#rows.map((runs) => runs.map((run) => (typeof run === 'string' ? run : run[0])).join(''));
  }
}

interface Shown extends Pick<ScreenRows, 'cols' | 'rows' | 'alt' | 'cursor'> {
  lines: Row[];
}

/** Returns what a terminal shows, read through xterm's public interface, which does not include `isCursorShown`. */
export function shownBy(term: Terminal, isCursorShown: boolean): Shown {
  const { active, alternate } = term.buffer;
  const rows = Array.from({ length: term.rows }, (_, row) => {
    const line = active.getLine(active.baseY + row)!;
    const cells: IBufferCell[] = [];
    for (let col = 0; col < term.cols; ) {
      const cell = line.getCell(col)!;
      cells.push(cell);
      col += cell.getWidth() || 1;
    }
    return runsOf(cells, term.cols);
  });
  const cursor: Shown['cursor'] = [Math.min(active.cursorX, term.cols - 1), active.cursorY, isCursorShown];
  return { cols: term.cols, rows: term.rows, alt: active === alternate, cursor, lines: rows };
}

function runsOf(cells: readonly IBufferCell[], cols: number): Run[] {
  const groups: Array<{ style: string; cells: IBufferCell[] }> = [];
  let col = 0;
  for (const cell of cells) {
    const columns = Math.min(cell.getWidth() || 1, cols - col);
    col += columns;
    const style = JSON.stringify([...styleOf(cell), columns === textOf(cell).length]);
    const last = groups.at(-1);
    if (last?.style === style) last.cells.push(cell);
    else groups.push({ style, cells: [cell] });
  }
  const runs = groups.map(({ cells: own }): Run => {
    const [fg, bg, flags] = styleOf(own[0]!);
    const text = own.map(textOf).join('');
    const columns = own.reduce((sum, cell) => sum + (cell.getWidth() || 1), 0);
    const isPlaced = textOf(own[0]!).length !== (own[0]!.getWidth() || 1);
    if (isPlaced) return [text, fg, bg, flags, columns];
    return fg === -1 && bg === -1 && flags === 0 ? text : [text, fg, bg, flags];
  });
  const last = runs.at(-1);
  if (typeof last !== 'string') return runs;
  const text = last.replace(/ +$/, '');
  return text === '' ? runs.slice(0, -1) : [...runs.slice(0, -1), text];
}

const textOf = (cell: IBufferCell) => cell.getChars() || ' ';

function styleOf(cell: IBufferCell): [fg: number, bg: number, flags: number] {
  const fg = cell.isFgDefault() ? -1 : cell.isFgRGB() ? RGB_COLOR + cell.getFgColor() : cell.getFgColor();
  const bg = cell.isBgDefault() ? -1 : cell.isBgRGB() ? RGB_COLOR + cell.getBgColor() : cell.getBgColor();
  const flags = [
    [cell.isBold(), RUN_FLAGS.bold],
    [cell.isDim(), RUN_FLAGS.dim],
    [cell.isItalic(), RUN_FLAGS.italic],
    [cell.isUnderline(), RUN_FLAGS.underline],
    [cell.isBlink(), RUN_FLAGS.blink],
    [cell.isInverse(), RUN_FLAGS.inverse],
    [cell.isInvisible(), RUN_FLAGS.hidden],
    [cell.isStrikethrough(), RUN_FLAGS.struck],
    [cell.isOverline(), RUN_FLAGS.overlined],
  ] as const;
  return [fg, bg, flags.reduce((sum, [isSet, flag]) => sum + (isSet ? flag : 0), 0)];
}
