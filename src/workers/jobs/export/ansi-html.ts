import { applySgr, cssOf, type Style } from './sgr.js';
import { emptyLine, erase, insert, move, type Piece, print, type TypedLine, take } from './typed-line.js';

/** Where the text stands between two calls: plain data. */
export interface AnsiState {
  /**
   * What is being read: text, what follows an ESC, a control sequence, or a string (OSC, DCS, ...) that is dropped
   * up to its end.
   */
  mode: 'text' | 'escape' | 'csi' | 'string';
  /** Of the control sequence. */
  params: string;
  style: Style;
  /** A carriage return that no line feed has followed yet. */
  isReturned: boolean;
  line: TypedLine;
}

export function firstAnsiState(): AnsiState {
  return { mode: 'text', params: '', style: {}, isReturned: false, line: emptyLine() };
}

/** A control sequence longer than this sets no colours. */
const MAX_PARAMS_CHARS = 256;

/** C0 and C1 controls, and DEL: none of them may stand in a page. */
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;
/** What ends a string: BEL, ST, and ESC, whose backslash is read as an escape sequence then. */
const STRING_END = /[\x07\x18\x1a\x1b\x9c]/g;

/** Text for a page. What no page may hold (half a character, U+FFFF and its like) becomes U+FFFD. */
export function escapeHtml(text: string): string {
  return text
    .replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
    .replace(/[\p{Cs}\p{Noncharacter_Code_Point}]/gu, '\ufffd');
}

/**
 * Terminal output as HTML: colours and styles become spans. What is typed over within a line (backspace, and what line
 * editors erase and insert) shows as it was left, and what a program overwrites after a carriage return stands on a
 * line of its own; other escape sequences are dropped. A sequence may be cut between two calls. The last line is
 * given by {@link endOfHtml}.
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

/** The line that no line feed has ended. */
export function endOfHtml(state: AnsiState): string {
  return toHtml(take(state.line));
}

function toHtml(pieces: readonly Piece[]): string {
  const spans = pieces.map(({ text, css }) =>
    css === '' ? escapeHtml(text) : `<span style="${css}">${escapeHtml(text)}</span>`,
  );
  return spans.join('');
}

/** Answers what is finished. */
function takeText(text: string, css: string, state: AnsiState): string {
  const ended = state.isReturned ? endLine(state) : '';
  return ended + toHtml(print(state.line, text, css));
}

function endLine(state: AnsiState): string {
  state.isReturned = false;
  return `${toHtml(take(state.line))}\n`;
}

/** One control character; answers what is finished. */
function takeControl(char: string, css: string, state: AnsiState): string {
  if (char === '\x1b') state.mode = 'escape';
  else if (char === '\x9b') beginCsi(state);
  else if ('\x90\x98\x9d\x9e\x9f'.includes(char)) state.mode = 'string';
  // On an empty line there is nothing to be overwritten: bash returns once more after each line that was typed.
  else if (char === '\r') state.isReturned = state.isReturned || state.line.length > 0;
  else if (char === '\n') return endLine(state);
  else if (char === '\t') return takeText('\t', css, state);
  else if (char === '\b' && !state.isReturned) move(state.line, -1);
  return '';
}

function takeEscape(char: string, state: AnsiState): void {
  if (char === '[') beginCsi(state);
  else if (']PX^_'.includes(char)) state.mode = 'string';
  // Intermediates stand before the last character; another ESC begins anew.
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
    else if (!state.isReturned) edit(char, state);
  } else if (char >= ' ' && char <= '?' && state.params.length <= MAX_PARAMS_CHARS) state.params += char;
}

/** What line editors do with a line, beside printing. */
function edit(final: string, { line, params }: AnsiState): void {
  if (!/^\d{0,4}$/.test(params)) return;
  const count = Number(params) || 1;
  if (final === 'K' && Number(params) === 0) erase(line, line.back, true);
  else if (final === 'P') erase(line, count, true);
  else if (final === 'X') erase(line, count, false);
  else if (final === '@') insert(line, count);
  else if (final === 'D') move(line, -count);
  else if (final === 'C') move(line, count);
}

/** Index of the first match from `from` on, or the text's length. */
function indexOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}
