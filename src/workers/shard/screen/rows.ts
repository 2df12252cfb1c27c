import type { Attributes } from './attributes.js';
import {
  attributesAt,
  type CellKind,
  eraseColorAt,
  isEmptyAt,
  kindAt,
  textAt,
  writtenLength,
} from './cells.js';
import { Content, type LineInternals } from './internals.js';
import type { Output } from './output.js';

const WIDE = '\u4e2d';
const INEXACT_CELL = 'a cell that only a resize or a shift of half a wide character makes';

/**
 * Writes the cells of one row, on which the cursor stands at the left edge, or still past the right edge of the
 * row before when this one's first character shall wrap to it. The row must be empty, with `base` as background
 * colour. Gives the column of the cursor then; `line.length` when it is past the right edge.
 *
 * Wraparound is on, insert and origin mode are off, and the character sets are ASCII.
 */
export function writeRow(out: Output, line: LineInternals, base: number): number {
  return new RowWriter(out, line, base).write();
}

/** Whether the row needs steps before its first character, so that it cannot be wrapped to by printing that. */
export function needsPreparation(out: Output, line: LineInternals): boolean {
  if (isEmptyAt(line, 0)) return true;
  if (brokenAtEnd(out, line) > 0) return true;
  for (let col = 0; col < line.length; col++) if (isLoneSecondHalf(out, line, col)) return true;
  return false;
}

class RowWriter {
  readonly #out: Output;
  readonly #line: LineInternals;
  readonly #base: number;
  #x = 0;
  /** Has been written to on the way, and must be erased even when its colour is the base. */
  #dirty = -1;

  constructor(out: Output, line: LineInternals, base: number) {
    this.#out = out;
    this.#line = line;
    this.#base = base;
  }

  write(): number {
    const end = writtenLength(this.#line, this.#base);
    if (hasOddCells(this.#line, end)) this.#prepare();
    for (let col = 0; col < end; ) col += this.#writeAt(col, end);
    return this.#x;
  }

  /** Gives the number of columns it dealt with. */
  #writeAt(col: number, end: number): number {
    const plain = this.#plainRun(col, end);
    if (plain !== '') {
      this.#printAt(col, plain, plain.length);
      return plain.length;
    }
    const kind = kindAt(this.#out.core, this.#line, col);
    switch (kind) {
      case 'erased':
        return this.#erase(col, end);
      case 'narrow':
        return this.#printAt(col, textAt(this.#line, col), 1);
      case 'wide':
        return this.#printAt(col, textAt(this.#line, col), 2);
      case 'lone':
        return this.#printLone(col);
      default:
        return this.#writeOdd(kind, col);
    }
  }

  /** Characters of ASCII with the same attributes, from `col`; most of all text is such. */
  #plainRun(col: number, end: number): string {
    const data = this.#line._data;
    const fg = data[col * 3 + 1]!;
    const bg = data[col * 3 + 2]!;
    if (bg & 0x10000000) return '';
    let text = '';
    for (let at = col * 3; at < end * 3; at += 3) {
      const code = data[at]! - (1 << Content.widthShift);
      if (code < 0x20 || code > 0x7e || data[at + 1] !== fg || data[at + 2] !== bg) break;
      text += String.fromCharCode(code);
    }
    return text;
  }

  #printAt(col: number, text: string, width: number): number {
    this.#move(col);
    this.#out.setAttributes(attributesAt(this.#line, col));
    this.#out.print(text);
    this.#x = col + width;
    return width;
  }

  /** Needs a control before it, or it would be combined with the character to its left. */
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

  #eraseCells(col: number, count: number, color: number): void {
    this.#move(col);
    this.#out.setEraseColor(color);
    this.#out.raw(count === 1 ? '\x1b[X' : `\x1b[${count}X`);
  }

  #writeOdd(kind: CellKind, col: number): number {
    const { length } = this.#line;
    switch (kind) {
      case 'broken':
        return this.#writeBroken(col);
      case 'secondHalf':
        // Prepared, when it can be.
        return 1;
      case 'firstHalf':
        if (col === length - 2 && this.#kind(length - 1) === 'narrow') return this.#writeOverwritten(col);
        break;
      case 'widened':
        if (col === length - 2 && this.#kind(length - 1) !== 'secondHalf') return this.#writeWidened(col);
        break;
      default:
    }
    this.#out.losses.add(INEXACT_CELL);
    if (this.#dirty === col) this.#eraseCells(col, 1, eraseColorAt(this.#line, col));
    return 1;
  }

  /** A wide character is written, and its second half overwritten: the first is emptied in that colour. */
  #writeBroken(col: number): number {
    const { length } = this.#line;
    if (col >= length - brokenAtEnd(this.#out, this.#line)) return 1;
    this.#move(col);
    this.#breakWide(col, attributesAt(this.#line, col));
    this.#x = col + 2;
    this.#dirty = col + 1;
    return 1;
  }

  #breakWide(col: number, attributes: Attributes): void {
    this.#out.print(WIDE);
    this.#out.raw(`\x1b[${col + 2}G`);
    this.#out.setAttributes(attributes);
    this.#out.print(' ');
  }

  /** A wide character at the edge, whose second half a character was written over with wraparound off. */
  #writeOverwritten(col: number): number {
    this.#printAt(col, textAt(this.#line, col), 2);
    this.#out.raw('\x1b[?7l');
    this.#out.setAttributes(attributesAt(this.#line, col + 1));
    this.#out.print(textAt(this.#line, col + 1));
    this.#out.raw('\x1b[?7h');
    return 2;
  }

  /**
   * With wraparound off, a wide character at the edge is dropped, and a combining one after it widens the cell
   * before the last.
   */
  #writeWidened(col: number): number {
    const characters = [...textAt(this.#line, col)];
    const combining = characters.pop()!;
    const last = this.#line.length - 1;
    if (characters.length > 0) this.#printAt(col, characters.join(''), 1);
    else if (this.#isPlainAt(col)) this.#eraseCells(col, 1, eraseColorAt(this.#line, col));
    else this.#out.losses.add(INEXACT_CELL);
    this.#writeAt(last, last + 1);
    this.#x = -1;
    this.#move(last);
    this.#out.raw('\x1b[?7l');
    this.#out.print(WIDE + combining);
    this.#out.raw('\x1b[?7h');
    this.#x = last;
    return 2;
  }

  /** What must be done while the row is still empty, since it shifts cells. */
  #prepare(): void {
    const broken = brokenAtEnd(this.#out, this.#line);
    for (let col = 0; col < this.#line.length; col++) {
      if (!isLoneSecondHalf(this.#out, this.#line, col)) continue;
      if (broken > 0 || !this.#prepareSecondHalf(col)) this.#out.losses.add(INEXACT_CELL);
    }
    if (broken > 0) this.#prepareBrokenEnd(broken);
    this.#move(0);
  }

  /** Inserting a cell into the middle of a wide character leaves its second half, one to the right. */
  #prepareSecondHalf(col: number): boolean {
    if (col === 0 || !this.#isErased(col - 1)) return false;
    const color = eraseColorAt(this.#line, col - 1);
    const at = Math.max(2, col);
    if (at >= this.#line.length || (col === 1 && color !== this.#base)) return false;
    if (col >= 2 && isLoneSecondHalf(this.#out, this.#line, col - 2)) return false;
    this.#move(at - 2);
    this.#out.setAttributes(attributesAt(this.#line, col));
    this.#out.print(WIDE);
    this.#out.raw(`\x1b[${at}G`);
    this.#out.setEraseColor(color);
    this.#out.raw('\x1b[@');
    if (col === 1) this.#out.raw('\x1b[G\x1b[P');
    this.#x = -1;
    this.#dirty = -1;
    if (col >= 2 && color !== this.#base) this.#eraseCells(at - 2, 1, this.#base);
    return true;
  }

  /** Made at the left, where there is room for the wide characters, and shifted to the right edge. */
  #prepareBrokenEnd(count: number): void {
    const { length } = this.#line;
    for (let at = 0; at < count; at++) {
      this.#move(at);
      this.#breakWide(at, attributesAt(this.#line, length - count + at));
      this.#x = -1;
    }
    this.#eraseCells(count, 1, this.#base);
    this.#out.raw(`\x1b[G\x1b[${length - count}@`);
    this.#x = 0;
  }

  #kind(col: number): CellKind {
    return kindAt(this.#out.core, this.#line, col);
  }

  #isErased(col: number): boolean {
    return this.#kind(col) === 'erased';
  }

  #isPlainAt(col: number): boolean {
    return this.#line._data[col * 3 + 1] === 0 && eraseColorAt(this.#line, col) === this.#line._data[col * 3 + 2];
  }

  #move(col: number): void {
    if (this.#x === col) return;
    const right = col - this.#x;
    if (this.#x < 0 || right < 0) this.#out.raw(col === 0 ? '\x1b[G' : `\x1b[${col + 1}G`);
    else this.#out.raw(right === 1 ? '\x1b[C' : `\x1b[${right}C`);
    this.#x = col;
  }
}

/** Number of broken cells at the right edge. A row of nothing else cannot be made. */
function brokenAtEnd(out: Output, line: LineInternals): number {
  let count = 0;
  while (count < line.length && kindAt(out.core, line, line.length - 1 - count) === 'broken') count++;
  return count === line.length ? 0 : count;
}

function isLoneSecondHalf(out: Output, line: LineInternals, col: number): boolean {
  if (line._data[col * 3] !== 0) return false;
  return col === 0 || !['wide', 'firstHalf'].includes(kindAt(out.core, line, col - 1));
}

/** Quick look for what {@link RowWriter.prepare} may have to do something about. */
function hasOddCells(line: LineInternals, end: number): boolean {
  const data = line._data;
  if (end === line.length && isEmptyAt(line, end - 1)) return true;
  for (let col = 0; col < end; col++) {
    if (data[col * 3] === 0 && (col === 0 || data[(col - 1) * 3]! >>> Content.widthShift !== 2)) return true;
  }
  return false;
}
