import { Content, type LineInternals, NULL_CONTENT, type XtermInternals } from '../xterm/internals.js';
import { type Attributes, cellAttributes, EXTENDED, eraseColor } from './attributes.js';

/** Mask of the flags in `bg`; erasing clears them all. */
const BG_FLAGS = ~0x3ffffff;

/** Kinds of cells, by the way a cell comes about. */
export type CellKind =
  /** Never written, or erased: no text, and no attributes except a background colour. */
  | 'erased'
  /** No text, but attributes: printing over half of a wide character leaves the other half like this. */
  | 'broken'
  /** A character with its combining characters: one column is `narrow`, two columns are `wide`. */
  | 'narrow'
  | 'wide'
  /** A combining character without a character to combine with. */
  | 'lone'
  /** Second half of a wide character. */
  | 'secondHalf'
  /** A wide character whose second half is gone or overwritten. */
  | 'firstHalf'
  /** A narrow or combining character that took the width of a wide character that did not fit after it. */
  | 'widened'
  | 'other';

/** Returns whether a cell has width 2 but only one column. Printing on the next column empties such a cell. */
export function isHalf(kind: CellKind): boolean {
  return kind === 'firstHalf' || kind === 'widened';
}

export function attributesAt(line: LineInternals, col: number): Attributes {
  return cellAttributes(line._data[col * 3 + 1]!, line._data[col * 3 + 2]!, line._extendedAttrs[col]);
}

export function eraseColorAt(line: LineInternals, col: number): number {
  return eraseColor(line._data[col * 3 + 2]!);
}

/** Returns whether the cell has attributes that erasing leaves. */
export function isErasable(line: LineInternals, col: number): boolean {
  return line._data[col * 3 + 1] === 0 && !(line._data[col * 3 + 2]! & BG_FLAGS);
}

export function isEmptyAt(line: LineInternals, col: number): boolean {
  return (line._data[col * 3]! & Content.any) === 0;
}

export function textAt(line: LineInternals, col: number): string {
  const content = line._data[col * 3]!;
  if (content & Content.combined) return line._combined[col] ?? '';
  const code = content & Content.codePoint;
  return code === 0 ? '' : String.fromCodePoint(code);
}

export function kindAt(core: XtermInternals, line: LineInternals, col: number): CellKind {
  const content = line._data[col * 3]!;
  const width = content >>> Content.widthShift;
  if ((content & Content.any) === 0) {
    if (width !== 1) return width === 0 ? 'secondHalf' : 'other';
    return isErasable(line, col) ? 'erased' : 'broken';
  }
  const natural = core.unicodeService.wcwidth(textAt(line, col).codePointAt(0) ?? 0);
  if (width === 0) return natural === 0 && !(content & Content.combined) ? 'lone' : 'other';
  if (natural !== width) return width === 2 ? 'widened' : 'other';
  if (width === 1) return 'narrow';
  return isSecondHalf(line, col + 1) ? 'wide' : 'firstHalf';
}

/** Returns whether the cell at `col`, which may be past the end of the row, is the second half of the wide cell before it. */
export function isSecondHalf(line: LineInternals, col: number): boolean {
  if (col >= line.length || line._data[col * 3] !== 0) return false;
  const { _data: data, _extendedAttrs: extended } = line;
  const at = col * 3;
  if (data[at + 1] !== data[at - 2] || data[at + 2] !== data[at - 1]) return false;
  return !(data[at + 2]! & EXTENDED) || extended[col] === extended[col - 1];
}

/** Returns how many columns must be written on a row that is already filled with the background colour `base`. */
export function writtenLength(line: LineInternals, base: number): number {
  const data = line._data;
  let end = line.length;
  while (end > 0) {
    const at = (end - 1) * 3;
    if (data[at] !== NULL_CONTENT || data[at + 1] !== 0) break;
    const bg = data[at + 2]!;
    if (bg !== base && (bg & BG_FLAGS || eraseColor(bg) !== base)) break;
    end--;
  }
  return end;
}
