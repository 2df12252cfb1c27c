import { RUN_FLAGS, type ScreenRun } from '../../../src/client/browser.js';
import { cssColor, type Palette } from './palette.js';
import type { ScreenModel } from './screen-model.js';

export const SCREEN_FONT = 'ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace';

/** Height of a row, in units of the font size. */
const LINE_HEIGHT = 1.2;
/** Size of the font in pixels below which text is painted as blocks, since it would be illegible. */
const MIN_FONT_PX = 3.5;
/** Characters that turn the direction of text around; a terminal shows text in the order of its cells. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Width of a cell, in units of the font size; undefined until it has been measured. */
let cellWidth: number | undefined;

/** The part of a `CanvasRenderingContext2D` that is used. */
interface Context {
  font: string;
  fillStyle: unknown;
  textBaseline: unknown;
  globalAlpha: number;
  measureText(text: string): { width: number };
  fillRect(x: number, y: number, width: number, height: number): void;
  fillText(text: string, x: number, y: number): void;
  save(): void;
  translate(x: number, y: number): void;
  scale(x: number, y: number): void;
  restore(): void;
}

/** Returns the width of a cell at a font size of 1 px. */
function widthOfCell(context: Context): number {
  if (cellWidth === undefined) {
    context.font = `100px ${SCREEN_FONT}`;
    cellWidth = context.measureText('M').width / 100;
  }
  return cellWidth;
}

/** A run in the form with all its parts. */
function partsOf(run: ScreenRun): [text: string, fg: number, bg: number, flags: number, columns: number] {
  if (typeof run === 'string') return [run, -1, -1, 0, run.length];
  const [text, fg, bg, flags, columns = text.length] = run;
  return [text, fg, bg, flags, columns];
}

export interface Canvas {
  context: Context;
  /** In pixels of the device. */
  width: number;
  height: number;
}

/** The part of a screen that is shown: columns from the left, and rows from `top` on. */
export interface Crop {
  top: number;
  rows: number;
  cols: number;
}

/** Returns the number of rows that fit on a canvas, with the largest font that fits these columns. */
export function rowsThatFit({ context, width, height }: Canvas, cols: number): number {
  const size = width / (cols * widthOfCell(context));
  return Math.max(1, Math.floor(height / (size * LINE_HEIGHT)));
}

/** Paints screens on small canvases, a call for each run of text. */
export class ScreenPainter {
  readonly #canvas: Canvas;
  readonly #palette: Palette;

  constructor(canvas: Canvas, palette: Palette) {
    this.#canvas = canvas;
    this.#palette = palette;
  }

  /** Paints the given rows, or the whole screen. */
  paint(model: ScreenModel, rows: ReadonlySet<number> | undefined, crop: Crop): void {
    const { context, width, height } = this.#canvas;
    const { background } = this.#palette;
    if (model.cols === 0) return;
    const unit = widthOfCell(context);
    const size = Math.min(width / (crop.cols * unit), height / (crop.rows * LINE_HEIGHT));
    const scale = { size, cell: size * unit, line: size * LINE_HEIGHT };
    if (!rows) {
      context.fillStyle = background;
      context.fillRect(0, 0, width, height);
    }
    context.font = `${size}px ${SCREEN_FONT}`;
    context.textBaseline = 'alphabetic';
    const all = rows ?? model.lines.keys();
    for (const row of all) {
      const at = row - crop.top;
      if (at >= 0 && at < crop.rows) this.#row(model, row, at, scale);
    }
  }

  #row(
    model: ScreenModel,
    row: number,
    at: number,
    scale: { size: number; cell: number; line: number },
  ): void {
    const { context, width } = this.#canvas;
    const { background, cursor } = this.#palette;
    // Whole pixels: otherwise rows would bleed into each other when a row is painted anew.
    const top = Math.round(at * scale.line);
    const height = Math.round((at + 1) * scale.line) - top;
    context.fillStyle = background;
    context.fillRect(0, top, width, height);
    let column = 0;
    for (const run of model.lines[row] ?? []) {
      column += this.#run(run, column * scale.cell, { top, height, ...scale });
    }
    const [x, y, isShown] = model.cursor;
    if (!isShown || y !== row) return;
    context.fillStyle = cursor;
    context.fillRect(x * scale.cell, top, Math.max(1, scale.cell), height);
  }

  /** Returns the columns that the run takes. */
  #run(
    run: ScreenRun,
    x: number,
    { top, height, size, cell }: { top: number; height: number; size: number; cell: number },
  ): number {
    const { context } = this.#canvas;
    const [text, fg, bg, flags, columns] = partsOf(run);
    const { ink, paper } = this.#colors(fg, bg, flags);
    const width = columns * cell;
    if (paper) {
      context.fillStyle = paper;
      context.fillRect(x, top, width, height);
    }
    if (flags & RUN_FLAGS.hidden || text.trim() === '') return columns;
    context.globalAlpha = flags & RUN_FLAGS.dim ? 0.6 : 1;
    context.fillStyle = ink;
    if (size < MIN_FONT_PX) this.#blocks(text, x, top + height * 0.25, height * 0.5, width / text.length);
    else {
      const isStyled = flags & (RUN_FLAGS.bold | RUN_FLAGS.italic);
      if (isStyled)
        context.font = `${flags & RUN_FLAGS.italic ? 'italic ' : ''}${flags & RUN_FLAGS.bold ? 'bold ' : ''}${size}px ${SCREEN_FONT}`;
      this.#text(
        text.replace(DIRECTIONS, ''),
        x,
        top + height * 0.78,
        columns === text.length ? undefined : width,
      );
      if (isStyled) context.font = `${size}px ${SCREEN_FONT}`;
      const thick = Math.max(1, size / 14);
      if (flags & RUN_FLAGS.underline) context.fillRect(x, top + height - thick, width, thick);
      if (flags & RUN_FLAGS.struck) context.fillRect(x, top + (height - thick) / 2, width, thick);
    }
    context.globalAlpha = 1;
    return columns;
  }

  #colors(fg: number, bg: number, flags: number): { ink: string; paper: string | undefined } {
    const { foreground, background } = this.#palette;
    const ink = cssColor(fg, this.#palette) ?? foreground;
    const paper = cssColor(bg, this.#palette);
    return flags & RUN_FLAGS.inverse ? { ink: paper ?? background, paper: ink } : { ink, paper };
  }

  /** Writes text; with a width, the text is stretched to it, since characters of other scripts come from fallback fonts. */
  #text(text: string, x: number, y: number, width: number | undefined): void {
    const { context } = this.#canvas;
    const real = width === undefined ? 0 : context.measureText(text).width;
    if (width === undefined || real === 0) {
      context.fillText(text, x, y);
      return;
    }
    context.save();
    context.translate(x, y);
    context.scale(width / real, 1);
    context.fillText(text, 0, 0);
    context.restore();
  }

  /** Paints a block for each word. */
  #blocks(text: string, x: number, top: number, height: number, cell: number): void {
    for (const word of text.matchAll(/\S+/g)) {
      this.#canvas.context.fillRect(x + word.index * cell, top, word[0].length * cell, height);
    }
  }
}
