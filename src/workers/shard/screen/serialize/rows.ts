import { Content, type LineInternals } from '../xterm/internals.js';
import { EXTENDED } from './attributes.js';
import {
  attributesAt,
  eraseColorAt,
  isEmptyAt,
  isErasable,
  isSecondHalf,
  kindAt,
  textAt,
  writtenLength,
} from './cells.js';
import {
  breakWide,
  INEXACT_CELL,
  overwriteAtEdge,
  preparation,
  prepare,
  widenBeforeEdge,
  widening,
} from './half-wide-cells.js';
import type { Output } from './output.js';

/**
 * Writes the first `length` cells of a row and returns the cursor's column afterwards, which is `line.length` past the
 * right edge.
 *
 * The row must be empty with `base` as background colour. The cursor must be at the row's left edge, or still past the
 * right edge of the previous row if this row's first character must wrap. Wraparound must be on, insert and origin mode
 * off, and the character sets ASCII.
 */
export function writeRow(out: Output, line: LineInternals, base: number, length: number): number {
  return new RowWriter(out, line, base, length).write();
}

class RowWriter {
  readonly #out: Output;
  readonly #line: LineInternals;
  readonly #base: number;
  readonly #length: number;
  /** Column of the cursor; -1 when unknown. */
  #x = 0;
  /** Column from which on the cells up to the right edge are already made. */
  #made: number;
  /** Column that was overwritten on the way and must be erased even if its colour is the base; -1 for none. */
  #dirty = -1;

  constructor(out: Output, line: LineInternals, base: number, length: number) {
    this.#out = out;
    this.#line = line;
    this.#base = base;
    this.#length = length;
    this.#made = line.length;
  }

  write(): number {
    const first = preparation(this.#out, this.#line, this.#length);
    if (first) {
      prepare(this.#out, this.#line, this.#base, first);
      this.#made -= first.brokenAtEnd;
      this.#x = -1;
      this.#move(0);
    }
    const end = Math.min(writtenLength(this.#line, this.#base), this.#length);
    for (let col = 0; col < end; ) col += this.#writeAt(col, end);
    if (this.#dirty >= end && this.#dirty < this.#length) this.#eraseCells(this.#dirty, 1, this.#base);
    return this.#x;
  }

  /** Writes the cell at `col`, and perhaps cells after it. Returns the number of columns handled. */
  #writeAt(col: number, end: number): number {
    const columns = this.#writeRun(col, end);
    if (columns > 0) return columns;
    switch (kindAt(this.#out.core, this.#line, col)) {
      case 'erased':
        return this.#erase(col, end);
      case 'lone':
        return this.#printLone(col);
      case 'broken':
        return this.#writeBroken(col);
      case 'firstHalf':
        return this.#writeFirstHalf(col);
      case 'widened':
        return this.#writeWidened(col);
      case 'secondHalf':
        // Already made by `prepare`, where that was possible.
        return 1;
      default:
        return this.#giveUp(col);
    }
  }

  /** Writes the characters from `col` on that have the same attributes and that plain printing reproduces, if any. */
  #writeRun(col: number, end: number): number {
    const { _data: data, _combined: combined, _extendedAttrs: extended } = this.#line;
    const { unicodeService } = this.#out.core;
    const fg = data[col * 3 + 1]!;
    const bg = data[col * 3 + 2]!;
    const isExtended = (bg & EXTENDED) !== 0;
    let text = '';
    let at = col;
    while (at < end && data[at * 3 + 1] === fg && data[at * 3 + 2] === bg) {
      if (isExtended && extended[at] !== extended[col]) break;
      const content = data[at * 3]!;
      const width = content >>> Content.widthShift;
      const characters = content & Content.combined ? combined[at]! : '';
      const code = characters === '' ? content & Content.codePoint : characters.codePointAt(0)!;
      if (code < 0x20 || width === 0) break;
      if (code > 0x7e ? unicodeService.wcwidth(code) !== width : width !== 1) break;
      if (width === 2 && !isSecondHalf(this.#line, at + 1)) break;
      text += characters || (code < 0x10000 ? String.fromCharCode(code) : String.fromCodePoint(code));
      at += width;
    }
    return at === col ? 0 : this.#printAt(col, text, at - col);
  }

  #printAt(col: number, text: string, width: number): number {
    this.#move(col);
    this.#out.setAttributes(attributesAt(this.#line, col));
    this.#out.print(text);
    this.#x = col + width;
    return width;
  }

  /** Prints a lone combining character, after a control that keeps it from joining the character to its left. */
  #printLone(col: number): number {
    this.#move(col);
    this.#out.setAttributes(attributesAt(this.#line, col));
    if (this.#out.endsInText) this.#out.raw('\x1b\\');
    this.#out.raw(textAt(this.#line, col));
    this.#x = col + 1;
    return 1;
  }

  #erase(col: number, end: number): number {
    const color = eraseColorAt(this.#line, col);
    let to = col + 1;
    while (to < end && this.#isErased(to) && eraseColorAt(this.#line, to) === color) to++;
    if (color !== this.#base) this.#eraseCells(col, to - col, color);
    else if (this.#dirty === col) this.#eraseCells(col, 1, color);
    return to - col;
  }

  #isErased(col: number): boolean {
    return isEmptyAt(this.#line, col) && kindAt(this.#out.core, this.#line, col) === 'erased';
  }

  #eraseCells(col: number, count: number, color: number): void {
    this.#move(col);
    this.#out.setEraseColor(color);
    this.#out.raw(count === 1 ? '\x1b[X' : `\x1b[${count}X`);
  }

  #writeBroken(col: number): number {
    if (col >= this.#made) return 1;
    if (col === this.#line.length - 1) return this.#giveUp(col);
    this.#move(col);
    breakWide(this.#out, col, attributesAt(this.#line, col));
    this.#x = col + 2;
    this.#dirty = col + 1;
    return 1;
  }

  #writeFirstHalf(col: number): number {
    const last = this.#line.length - 1;
    if (col !== last - 1 || kindAt(this.#out.core, this.#line, last) !== 'narrow') return this.#giveUp(col);
    this.#printAt(col, textAt(this.#line, col), 2);
    overwriteAtEdge(this.#out, this.#line);
    return 2;
  }

  /** Writes the cell as it was before it was widened, then the last cell, then the character that widens the first. */
  #writeWidened(col: number): number {
    const { before, combining, canBeMade } = widening(this.#out, this.#line, col);
    if (!canBeMade) return this.#giveUp(col);
    if (before !== '') this.#printAt(col, before, 1);
    else this.#eraseCells(col, 1, eraseColorAt(this.#line, col));
    const last = this.#line.length - 1;
    this.#writeAt(last, last + 1);
    this.#x = -1;
    this.#move(last);
    widenBeforeEdge(this.#out, combining);
    return 2;
  }

  #giveUp(col: number): number {
    this.#out.losses.add(INEXACT_CELL);
    const color = isErasable(this.#line, col) ? eraseColorAt(this.#line, col) : this.#base;
    if (this.#dirty === col || color !== this.#base) this.#eraseCells(col, 1, color);
    return 1;
  }

  #move(col: number): void {
    if (this.#x === col) return;
    const right = col - this.#x;
    if (this.#x < 0 || right < 0) this.#out.raw(col === 0 ? '\x1b[G' : `\x1b[${col + 1}G`);
    else this.#out.raw(right === 1 ? '\x1b[C' : `\x1b[${right}C`);
    this.#x = col;
  }
}
