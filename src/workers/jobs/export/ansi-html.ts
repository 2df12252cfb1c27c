import { applySgr, type SgrStyle } from '../../sgr.js';
import { cssOf } from './style-css.js';
import {
  columnOf,
  emptyLine,
  erase,
  insert,
  move,
  type Piece,
  print,
  type TypedLine,
  take,
  textOf,
} from './typed-line.js';

/** State of the conversion between two calls; plain data. */
export interface AnsiState {
  /**
   * The kind of input that comes next: text, the remainder of an escape or control sequence, or of a string (OSC, DCS,
   * ...), which is dropped up to its end.
   */
  mode: 'text' | 'escape' | 'csi' | 'string';
  /** Parameters of the control sequence so far. */
  params: string;
  style: SgrStyle;
  /** Whether a carriage return came, and no line feed or text after it. */
  isReturned: boolean;
  /** Whether the line overwrites a mark, and may be the mark once more: fish prints it twice. */
  isMarked: boolean;
  line: TypedLine;
  /** Columns of the terminal. */
  cols: number;
}

export function firstAnsiState(cols = 80): AnsiState {
  return { mode: 'text', params: '', style: {}, isReturned: false, isMarked: false, line: emptyLine(), cols };
}

/** Longest control sequence that is applied; longer ones are ignored. */
const MAX_PARAMS_CHARS = 256;

/** C0 and C1 controls, and DEL, which a page must not contain. */
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;
/** Ends of a string: BEL, CAN, SUB, ST, and ESC, whose backslash is then read as an escape sequence. */
const STRING_END = /[\x07\x18\x1a\x1b\x9c]/g;

/**
 * A line that zsh and fish print before each prompt and overwrite, to show whether the output ended with a line feed: one
 * character, and blanks up to the end of the row.
 */
const MARK = /^\S? +$/u;
const BLANKS = /^ +$/;

/** Escapes text for HTML. Replaces lone surrogates and noncharacters such as U+FFFF by U+FFFD. */
export function escapeHtml(text: string): string {
  return text
    .replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
    .replace(/[\p{Cs}\p{Noncharacter_Code_Point}]/gu, '\ufffd');
}

/**
 * Converts terminal output to HTML; colours and styles become spans. Edits within a line (backspaces, moves to a column,
 * and the erasures and insertions of line editors) appear as their result. Text overwritten from its beginning on stays
 * on a line of its own. Other escape sequences are dropped. A sequence may be split between two calls. {@link endOfHtml}
 * returns the last line.
 */
export function ansiToHtml(text: string, state: AnsiState): string {
  let html = '';
  let css = cssOf(state.style);
  for (let at = 0; at < text.length; ) {
    if (state.mode === 'text') {
      const control = indexOf(CONTROL, text, at);
      if (control > at) html += takeText(text.slice(at, control), css, state);
      if (control < text.length) html += takeControl(text[control]!, css, state);
      at = control + 1;
    } else if (state.mode === 'string') {
      const end = indexOf(STRING_END, text, at);
      if (end < text.length) state.mode = text[end] === '\x1b' ? 'escape' : 'text';
      at = end + 1;
    } else {
      const char = text[at]!;
      if (state.mode === 'csi') takeCsi(char, state);
      else takeEscape(char, state);
      if (char === 'm' || char === 'c') css = cssOf(state.style);
      at += 1;
    }
  }
  return html;
}

/** Returns the last line, which no line feed has ended. */
export function endOfHtml(state: AnsiState): string {
  return toHtml(take(state.line));
}

function toHtml(pieces: readonly Piece[]): string {
  const spans = pieces.map(({ text, css }) =>
    css === '' ? escapeHtml(text) : `<span style="${css}">${escapeHtml(text)}</span>`,
  );
  return spans.join('');
}

/** Prints text, and returns the HTML that is complete because of it. */
function takeText(text: string, css: string, state: AnsiState): string {
  const ended = state.isReturned ? endOverwritten(state) : '';
  return ended + toHtml(print(state.line, text, css));
}

/** Ends a line that is overwritten. A mark leaves no trace, and neither do blanks. */
function endOverwritten(state: AnsiState): string {
  const { line, isMarked, cols } = state;
  const text = line.pieces.at(-1)?.css === '' ? textOf(line) : '';
  const isMark = MARK.test(text) && (isMarked || line.columns === cols);
  if (!isMark && !BLANKS.test(text)) return endLine(state);
  state.isReturned = false;
  state.isMarked = isMark;
  take(line);
  return '';
}

function endLine(state: AnsiState): string {
  state.isReturned = false;
  state.isMarked = false;
  return `${toHtml(take(state.line))}\n`;
}

/** Applies one control character, and returns the HTML that is complete because of it. */
function takeControl(char: string, css: string, state: AnsiState): string {
  if (char === '\x1b') state.mode = 'escape';
  else if (char === '\x9b') beginCsi(state);
  else if ('\x90\x98\x9d\x9e\x9f'.includes(char)) state.mode = 'string';
  // An empty line has nothing to overwrite: bash sends another carriage return after each typed line.
  else if (char === '\r') toColumn(state, 0);
  else if (char === '\n') return endLine(state);
  else if (char === '\t') return takeText('\t', css, state);
  else if (char === '\b' && !state.isReturned) move(state.line, -1);
  return '';
}

function takeEscape(char: string, state: AnsiState): void {
  if (char === '[') beginCsi(state);
  else if (']PX^_'.includes(char)) state.mode = 'string';
  // Intermediate characters come before the final one; another ESC begins a new sequence.
  else if ((char < ' ' || char > '/') && char !== '\x1b') {
    state.mode = 'text';
    if (char === 'c') state.style = {};
  }
}

function beginCsi(state: AnsiState): void {
  state.mode = 'csi';
  state.params = '';
}

function takeCsi(char: string, state: AnsiState): void {
  if (char === '\x1b') state.mode = 'escape';
  else if (char === '\x18' || char === '\x1a') state.mode = 'text';
  else if (char >= '@' && char !== '\x7f') {
    state.mode = 'text';
    if (state.params.length > MAX_PARAMS_CHARS) return;
    if (char === 'm') state.style = applySgr(state.style, state.params);
    else edit(char, state);
  } else if (char >= ' ' && char <= '?' && state.params.length <= MAX_PARAMS_CHARS) state.params += char;
}

/** Applies the editing sequences of line editors. */
function edit(final: string, state: AnsiState): void {
  const { line, params, isReturned, cols } = state;
  if (!/^\d{0,4}$/.test(params)) return;
  const count = Number(params) || 1;
  if (final === 'G') toColumn(state, count - 1);
  else if (final === 'C') toColumn(state, (isReturned ? 0 : columnOf(line, cols)) + count);
  else if (isReturned) return;
  else if (final === 'K' && Number(params) === 0) erase(line, line.back, true);
  else if (final === 'P') erase(line, count, true);
  else if (final === 'X') erase(line, count, false);
  else if (final === '@') insert(line, count);
  else if (final === 'D') move(line, -count);
}

/**
 * Moves the cursor to a column of its row, counted from 0. fish goes to the place of each key in this way. Text at a place
 * that is too far back gets a line of its own.
 */
function toColumn(state: AnsiState, column: number): void {
  const { line, cols } = state;
  if (column === 0) state.isReturned ||= line.length > 0;
  else state.isReturned = !move(line, Math.min(column, cols - 1) - columnOf(line, cols));
}

/** Returns the index of the first match from `from` on, or the text's length. */
function indexOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}
