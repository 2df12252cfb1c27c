/** A piece of a line in one style, given as CSS declarations. */
export interface Piece {
  text: string;
  css: string;
}

/** The line that is being printed; plain data. */
export interface TypedLine {
  pieces: Piece[];
  /** UTF-16 units of all pieces. */
  length: number;
  columns: number;
  /** Columns between the cursor and the end of the line. */
  back: number;
}

/** A longer line is returned in parts, which later edits cannot change. */
const MAX_LINE_UNITS = 4_096;

/** Most columns that the cursor can be before the line's end: a correction of typed text does not go further back. */
const MAX_BACK = 512;

/** East Asian wide characters and emoji: line editors send two backspaces for each. */
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation})/u;

/** Text in which each character takes one column. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Combining marks, which take no column: one mark, or several without a base character. */
const COMBINING = /^(?:\p{M}|\u200d|\ufe0f)+$/u;

export function emptyLine(): TypedLine {
  return { pieces: [], length: 0, columns: 0, back: 0 };
}

export function textOf({ pieces }: TypedLine): string {
  return pieces.map(({ text }) => text).join('');
}

/** Prints text at the cursor; returns the part of the line that is finished. */
export function print(line: TypedLine, text: string, css: string): Piece[] {
  if (line.back > 0) {
    overwrite(line, text, css);
    return [];
  }
  append(line, text, css);
  return line.length > MAX_LINE_UNITS ? take(line) : [];
}

/** Returns the line's pieces and begins a new line. */
export function take(line: TypedLine): Piece[] {
  const { pieces } = line;
  Object.assign(line, emptyLine());
  return pieces;
}

/**
 * Moves the cursor by `columns`, to the left if negative. Behind the end of the line blanks follow. Returns false, and
 * goes as far as it can, if that is too far back.
 */
export function move(line: TypedLine, columns: number): boolean {
  const back = line.back - columns;
  line.back = Math.min(Math.max(0, back), line.columns, MAX_BACK);
  join(line, blanks(-back));
  return line.back >= back;
}

/** Returns the column of the cursor in its row of the terminal; a line may have wrapped into several rows. */
export function columnOf({ columns, back }: TypedLine, cols: number): number {
  const at = columns - back;
  // Behind a full row the cursor is still on that row.
  return at === 0 ? 0 : ((at - 1) % cols) + 1;
}

/** Erases `columns` after the cursor; with `closesGap` the text behind them moves up. */
export function erase(line: TypedLine, columns: number, closesGap: boolean): void {
  const tail = split(line);
  const erased = shift(tail, columns);
  const isKept = !closesGap && tail.length > 0;
  join(line, isKept ? blanks(erased) : [], tail);
  line.back = columnsOf(tail) + (isKept ? erased : 0);
}

/** Inserts `columns` blanks at the cursor. */
export function insert(line: TypedLine, columns: number): void {
  if (line.back === 0) return;
  const tail = split(line);
  join(line, blanks(Math.min(columns, MAX_BACK)), tail);
  move(line, -columns);
}

function overwrite(line: TypedLine, text: string, css: string): void {
  const tail = split(line);
  const printed = characters(text).map((character) => ({ text: character, css }));
  shift(tail, columnsOf(printed));
  join(line, printed, tail);
  line.back = columnsOf(tail);
}

/**
 * Removes the text behind the cursor and returns it, each character as a piece. A wide character with the cursor in its
 * middle becomes two blanks, as in a terminal.
 */
function split(line: TypedLine): Piece[] {
  const tail: Piece[] = [];
  for (let columns = 0; columns < line.back; ) {
    const piece = line.pieces.pop();
    if (!piece) break;
    const { text, css } = piece;
    const single = characters(text);
    let at = single.length;
    while (at > 0 && columns < line.back) columns += widthOf(single[--at]!);
    tail.unshift(...single.slice(at).map((character) => ({ text: character, css })));
    line.length -= text.length;
    line.columns -= widthOf(text);
    if (at > 0) append(line, single.slice(0, at).join(''), css);
    if (columns > line.back) {
      tail.splice(0, 1, ...blanks(1));
      join(line, blanks(1));
    }
  }
  return tail;
}

/**
 * Removes `columns` from the beginning, with their combining marks. A wide character that is cut leaves a blank, unless
 * it was the last. Returns the number of columns removed, which is less at the end of `tail`.
 */
function shift(tail: Piece[], columns: number): number {
  let taken = 0;
  while (taken < columns && tail.length > 0) taken += widthOf(tail.shift()!.text);
  if (taken > columns && tail.length > 0) tail.unshift(...blanks(1));
  else if (taken > 0) while (tail[0] && widthOf(tail[0].text) === 0) tail.shift();
  return Math.min(taken, columns);
}

function blanks(columns: number): Piece[] {
  return columns > 0 ? [{ text: ' '.repeat(columns), css: '' }] : [];
}

function join(line: TypedLine, ...parts: readonly (readonly Piece[])[]): void {
  for (const { text, css } of parts.flat()) append(line, text, css);
}

function append(line: TypedLine, text: string, css: string): void {
  const last = line.pieces.at(-1);
  if (last?.css === css) last.text += text;
  else line.pieces.push({ text, css });
  line.length += text.length;
  line.columns += widthOf(text);
}

/** Splits text into characters, each with its combining marks. */
function characters(text: string): string[] {
  const found: string[] = [];
  for (const character of text) {
    if (COMBINING.test(character) && found.length > 0) found[found.length - 1] += character;
    else found.push(character);
  }
  return found;
}

function columnsOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { text }) => sum + widthOf(text), 0);
}

function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return characters(text).reduce((sum, character) => sum + widthOfOne(character), 0);
}

function widthOfOne(character: string): number {
  if (WIDE.test(character)) return 2;
  return COMBINING.test(character) ? 0 : 1;
}
