import { Content, type LineInternals } from '../xterm/internals.js';
import type { Attributes } from './attributes.js';
import { attributesAt, eraseColorAt, isErasable, kindAt, textAt } from './cells.js';
import type { Output } from './output.js';

/** An arbitrary wide character, printed where it is dropped or overwritten. */
export const WIDE = '\u4e2d';

/** Loss for cells that no sequence makes: only a resize, or a shift of half a wide character, leaves them. */
export const INEXACT_CELL = 'half a wide character where none can be written';

/** Cells to make while their row is still empty, because making them shifts cells of the row. */
export interface Preparation {
  /** Number of broken cells at the right edge. */
  brokenAtEnd: number;
  /** Columns with the second half of a wide character whose first half is gone. */
  secondHalves: number[];
}

/** Returns the cells to prepare in the first `length` columns; undefined when there are none. */
export function preparation(out: Output, line: LineInternals, length: number): Preparation | undefined {
  const data = line._data;
  const secondHalves: number[] = [];
  for (let col = 0; col < length; col++) {
    if (data[col * 3] !== 0) continue;
    if (col === 0 || data[(col - 1) * 3]! >>> Content.widthShift !== 2) secondHalves.push(col);
  }
  let brokenAtEnd = 0;
  while (brokenAtEnd < length && kindAt(out.core, line, length - 1 - brokenAtEnd) === 'broken') brokenAtEnd++;
  // Broken cells are made from wide characters, which needs one column more than there are broken cells. Away from the
  // right edge, they need no preparation.
  if (brokenAtEnd === line.length || length < line.length) brokenAtEnd = 0;
  return brokenAtEnd + secondHalves.length > 0 ? { brokenAtEnd, secondHalves } : undefined;
}

/** Makes the cells `what` on an empty row with the background colour `base`. The cursor ends anywhere on that row. */
export function prepare(out: Output, line: LineInternals, base: number, what: Preparation): void {
  for (const col of what.secondHalves) {
    const isMade = what.brokenAtEnd === 0 && prepareSecondHalf(out, line, base, col, what.secondHalves);
    if (!isMade) out.losses.add(INEXACT_CELL);
  }
  if (what.brokenAtEnd > 0) prepareBrokenEnd(out, line, base, what.brokenAtEnd);
}

/**
 * Makes a second half without a first: inserting a cell into the middle of a wide character leaves its second half, one
 * column to the right. Returns false when that is not possible.
 */
function prepareSecondHalf(
  out: Output,
  line: LineInternals,
  base: number,
  col: number,
  all: readonly number[],
): boolean {
  if (col === 0 || kindAt(out.core, line, col - 1) !== 'erased' || all.includes(col - 2)) return false;
  const color = eraseColorAt(line, col - 1);
  const made = Math.max(2, col);
  if (made >= line.length || (col === 1 && color !== base)) return false;
  toColumn(out, made - 2);
  out.setAttributes(attributesAt(line, col));
  out.print(WIDE);
  toColumn(out, made - 1);
  out.setEraseColor(color);
  out.raw('\x1b[@');
  if (col === 1) {
    toColumn(out, 0);
    out.raw('\x1b[P');
  } else if (color !== base) {
    toColumn(out, made - 2);
    out.setEraseColor(base);
    out.raw('\x1b[X');
  }
  return true;
}

/** Makes broken cells at the left edge and shifts them to the right edge. */
function prepareBrokenEnd(out: Output, line: LineInternals, base: number, count: number): void {
  for (let at = 0; at < count; at++) {
    toColumn(out, at);
    breakWide(out, at, attributesAt(line, line.length - count + at));
  }
  toColumn(out, count);
  out.setEraseColor(base);
  out.raw('\x1b[X');
  toColumn(out, 0);
  out.raw(`\x1b[${line.length - count}@`);
}

/** Leaves a broken cell at `col`, where the cursor must be, and a blank after it. */
export function breakWide(out: Output, col: number, attributes: Attributes): void {
  out.print(WIDE);
  toColumn(out, col + 1);
  out.setAttributes(attributes);
  out.print(' ');
}

/** Prints a character, with wraparound off, over the second half of a wide character at the right edge. */
export function overwriteAtEdge(out: Output, line: LineInternals): void {
  const last = line.length - 1;
  out.raw('\x1b[?7l');
  out.setAttributes(attributesAt(line, last));
  out.print(textAt(line, last));
  out.raw('\x1b[?7h');
}

/**
 * Widens the cell before the last. With wraparound off, xterm drops a wide character at the right edge, but adds a
 * combining character after it to the cell before the last, which gets the dropped character's width. The cursor must
 * be on the last column.
 */
export function widenBeforeEdge(out: Output, combining: string): void {
  out.raw('\x1b[?7l');
  out.print(WIDE + combining);
  out.raw('\x1b[?7h');
}

/**
 * Returns the text of a widened cell before it was widened (empty if the cell was erased), the combining character that
 * widened it, and whether `widenBeforeEdge` can make the cell again.
 */
export function widening(
  out: Output,
  line: LineInternals,
  col: number,
): { before: string; combining: string; canBeMade: boolean } {
  const characters = [...textAt(line, col)];
  const isAtEdge = col === line.length - 2 && kindAt(out.core, line, col + 1) !== 'secondHalf';
  if (out.core.unicodeService.wcwidth(characters[0]!.codePointAt(0)!) === 0) {
    return { before: '', combining: characters.join(''), canBeMade: isAtEdge && isErasable(line, col) };
  }
  const combining = characters.pop() ?? '';
  return { before: characters.join(''), combining, canBeMade: isAtEdge && characters.length > 0 };
}

function toColumn(out: Output, col: number): void {
  out.raw(col === 0 ? '\x1b[G' : `\x1b[${col + 1}G`);
}
