import { type BufferInternals, Content, type LineInternals } from '../xterm/internals.js';

/**
 * Returns the lines on the rows `from` to `to` (exclusive) of a buffer: rows that the terminal wrapped are joined,
 * trailing blanks are cut, and lines without text are left out.
 */
export function logicalLines(buffer: BufferInternals, from = 0, to = buffer.lines.length): string[] {
  const lines: string[] = [];
  let text = '';
  for (let index = from; index < to; index++) {
    const next = index + 1 < to ? buffer.lines.get(index + 1) : undefined;
    const isLast = !next?.isWrapped;
    text += rowText(buffer.lines.get(index)!, isLast ? undefined : next);
    if (!isLast) continue;
    const trimmed = trimBlanks(text);
    if (trimmed !== '') lines.push(trimmed);
    text = '';
  }
  return lines;
}

/** The lines of {@link logicalLines}, each made on request, because most readers want the last few of a thousand. */
export class LinesWithText {
  readonly #buffer: BufferInternals;
  /** First row of each line, and the row after its last. */
  readonly #rows: Array<[begin: number, end: number]> = [];

  constructor(buffer: BufferInternals) {
    this.#buffer = buffer;
    const { length } = buffer.lines;
    let begin = 0;
    let hasText = false;
    for (let index = 0; index < length; index++) {
      hasText ||= rowHasText(buffer.lines.get(index)!);
      if (buffer.lines.get(index + 1)?.isWrapped && index + 1 < length) continue;
      if (hasText) this.#rows.push([begin, index + 1]);
      begin = index + 1;
      hasText = false;
    }
  }

  get length(): number {
    return this.#rows.length;
  }

  slice(begin: number, end: number): string[] {
    return this.#rows.slice(begin, end).flatMap(([from, to]) => logicalLines(this.#buffer, from, to));
  }
}

/** Returns whether anything but blanks was written. */
function rowHasText({ _data: data, length }: LineInternals): boolean {
  for (let at = 0; at < length * 3; at += 3) {
    const content = data[at]!;
    const code = content & Content.codePoint;
    if ((code !== 0 && code !== 0x20) || content & Content.combined) return true;
  }
  return false;
}

/** Returns how many cells at the beginning of a row were never written; at most `most`. */
export function emptyCells({ _data: data, length }: LineInternals, most: number): number {
  let count = 0;
  while (count < Math.min(most, length) && (data[count * 3]! & Content.any) === 0) count++;
  return count;
}

/** Text that a screen shows, and the text before its cursor, with blanks where nothing was written. */
export interface Shown {
  text: string;
  beforeCursor: string;
}

/**
 * Returns the lines that the screen shows, down to the cursor or the last text below it, with trailing blanks that were
 * written. Rows that the terminal wrapped are joined, and a line that begins above the screen is complete.
 */
export function shownText(buffer: BufferInternals): Shown {
  let begin = buffer.ybase;
  while (begin > 0 && buffer.lines.get(begin)!.isWrapped) begin--;
  let text = '';
  let beforeCursor = '';
  let end = 0;
  for (let index = begin; index < buffer.lines.length; index++) {
    const line = buffer.lines.get(index)!;
    const next = index + 1 < buffer.lines.length ? buffer.lines.get(index + 1) : undefined;
    const wrapsInto = next?.isWrapped ? next : undefined;
    const row = rowText(line, wrapsInto);
    const hasCursor = index === buffer.ybase + buffer.y;
    if (hasCursor) beforeCursor = text + cellsText(line, buffer.x);
    text += row;
    if (hasCursor || trimBlanks(row) !== '') end = text.length;
    if (!wrapsInto) text += '\n';
  }
  return { text: text.slice(0, end), beforeCursor };
}

/** Returns the text of each row of the screen, trailing blanks cut. */
export function rowTexts(buffer: BufferInternals): string[] {
  const count = buffer.lines.length - buffer.ybase;
  return Array.from({ length: count }, (_, row) => rowTextAt(buffer, row));
}

/** Returns the text of one row of the screen, trailing blanks cut; empty when the row is missing. */
export function rowTextAt(buffer: BufferInternals, row: number): string {
  const line = buffer.lines.get(buffer.ybase + row);
  return line ? trimBlanks(rowText(line)) : '';
}

/** Returns the text of a row, with blanks where nothing was written; `next` is the row that it wraps into. */
export function rowText(line: LineInternals, next?: LineInternals): string {
  const data = line._data;
  let end = line.length;
  if (next) {
    // The last cell stays empty when a wide character did not fit into it; such a cell is not part of the text.
    const isEmpty = (data[(end - 1) * 3]! & Content.any) === 0;
    if (isEmpty && widthOf(next, 0) === 2) end--;
  } else {
    while (end > 0 && (data[(end - 1) * 3]! & Content.any) === 0) end--;
  }
  return cellsText(line, end);
}

/** Returns whether a row has text in its last column. */
export function isFullRow({ _data: data, length }: LineInternals): boolean {
  const content = data[(length - 1) * 3]!;
  const code = content & Content.codePoint;
  const isBlank = code === 0x20 && (content & Content.combined) === 0;
  // The second cell of a wide character is empty.
  const isWide = length > 1 && data[(length - 2) * 3]! >>> Content.widthShift === 2;
  return isWide || ((content & Content.any) !== 0 && !isBlank);
}

/** UTF-16 of the row that is being read. A text that grows by each character would leave a string behind for each. */
let units = new Uint16Array(1_024);

/** Returns the text of the first `end` cells. */
export function cellsText(line: LineInternals, end: number): string {
  const data = line._data;
  const cells = Math.min(end, line.length);
  if (units.length < 2 * cells) units = new Uint16Array(2 * cells);
  let text = '';
  let count = 0;
  for (let col = 0; col < cells; ) {
    const content = data[col * 3]!;
    const code = content & Content.codePoint;
    if (content & Content.combined) {
      text += textOf(count) + line._combined[col];
      count = 0;
    } else if (code > 0xffff) {
      units[count++] = 0xd7c0 + (code >> 10);
      units[count++] = 0xdc00 | (code & 0x3ff);
    } else units[count++] = code === 0 ? 0x20 : code;
    col += content >>> Content.widthShift || 1;
  }
  return text + textOf(count);
}

function textOf(count: number): string {
  return count === 0 ? '' : String.fromCharCode.apply(null, units.subarray(0, count) as unknown as number[]);
}

function widthOf(line: LineInternals, col: number): number {
  return line._data[col * 3]! >>> Content.widthShift;
}

export function trimBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0x20) end--;
  return text.slice(0, end);
}

/** Returns the number of rows down to the last row that has text. */
export function textRows({ lines }: Pick<BufferInternals, 'lines'>): number {
  let count = lines.length;
  while (count > 0 && !rowHasText(lines.get(count - 1)!)) count--;
  return count;
}
