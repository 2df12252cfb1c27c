import type { CellSize } from './cell-size.js';
import { type CellStyle, Underline } from './cell-style.js';
import type { DrawingSurface } from './skia/surface.js';

/** Neighbouring cells of one style, in pixels. */
export interface CellSpan {
  left: number;
  right: number;
  /** Top of the row. */
  top: number;
}

/** Draws the lines under, through and over text. */
export class RuledLines {
  readonly #surface: DrawingSurface;
  readonly #height: number;
  readonly #thickness: number;
  readonly #baseline: number;

  /** @param baseline - pixels from the top of a row to the line that letters stand on */
  constructor(surface: DrawingSurface, { height }: CellSize, baseline: number) {
    this.#surface = surface;
    this.#height = height;
    this.#baseline = baseline;
    this.#thickness = Math.max(1, Math.round(height / 19));
  }

  draw(style: CellStyle, span: CellSpan): void {
    const { top } = span;
    if (style.underline !== Underline.none) {
      this.#surface.color = style.underlineColor;
      this.#underline(style.underline, span);
    }
    if (!style.isStruck && !style.isOverlined) return;
    this.#surface.color = style.color;
    if (style.isStruck) this.#bar(span, top + Math.round(this.#baseline * 0.7));
    if (style.isOverlined) this.#bar(span, top);
  }

  #underline(style: number, span: CellSpan): void {
    const [size, y] = [this.#thickness, span.top + this.#under()];
    if (style === Underline.curly) this.#wave(span, y);
    else if (style === Underline.dotted) this.#dashes(span, y, size, size);
    else if (style === Underline.dashed) this.#dashes(span, y, 3 * size, 2 * size);
    else {
      this.#bar(span, y);
      if (style === Underline.double) this.#bar(span, Math.min(y + 2 * size, span.top + this.#height - size));
    }
  }

  /** Returns the pixels from the top of a row to a line under its text, with room for a second line. */
  #under(): number {
    return Math.max(0, Math.min(this.#baseline + this.#thickness, this.#height - 3 * this.#thickness));
  }

  #bar({ left, right }: CellSpan, y: number): void {
    this.#surface.fillRect(left, y, right - left, this.#thickness);
  }

  /** Draws dashes that count from the edge of the picture, so that they continue evenly from one style to the next. */
  #dashes({ left, right }: CellSpan, y: number, length: number, gap: number): void {
    for (let x = left - (left % (length + gap)); x < right; x += length + gap) {
      const from = Math.max(x, left);
      const width = Math.min(x + length, right) - from;
      if (width > 0) this.#surface.fillRect(from, y, width, this.#thickness);
    }
  }

  #wave({ left, right }: CellSpan, y: number): void {
    const step = 2 * this.#thickness;
    const rise = (x: number) => (Math.floor(x / step) % 2 === 0 ? 0 : this.#thickness);
    for (let x = left - (left % step); x < right; x += step) {
      const from = Math.max(x, left);
      this.#surface.fillRect(from, y + rise(x), Math.min(x + step, right) - from, this.#thickness);
    }
  }
}
