import { applySgr, cssOf, type Style } from './sgr.js';

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
}

export function firstAnsiState(): AnsiState {
  return { mode: 'text', params: '', style: {}, isReturned: false };
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
 * Terminal output as HTML: colours and styles become spans, other escape sequences are dropped. What a program
 * overwrites after a carriage return stands on a line of its own. A sequence may be cut between two calls.
 */
export function ansiToHtml(text: string, state: AnsiState): string {
  let html = '';
  let run = '';
  const endRun = () => {
    const css = cssOf(state.style);
    if (run !== '') html += css === '' ? escapeHtml(run) : `<span style="${css}">${escapeHtml(run)}</span>`;
    run = '';
  };
  for (let at = 0; at < text.length; ) {
    if (state.mode === 'text') {
      const control = indexOf(CONTROL, text, at);
      if (control > at) {
        run += `${state.isReturned ? '\n' : ''}${text.slice(at, control)}`;
        state.isReturned = false;
      }
      if (control < text.length) run += takeControl(text[control]!, state);
      at = control + 1;
    } else if (state.mode === 'string') {
      const end = indexOf(STRING_END, text, at);
      if (end < text.length) state.mode = text[end] === '\x1b' ? 'escape' : 'text';
      at = end + 1;
    } else {
      const char = text[at]!;
      const isSgr = state.mode === 'csi' && char === 'm';
      // What came before has the colours of before.
      if (isSgr || char === 'c') endRun();
      if (state.mode === 'csi') takeCsi(char, state);
      else takeEscape(char, state);
      at += 1;
    }
  }
  endRun();
  return html;
}

/** One control character; answers what of it is shown. */
function takeControl(char: string, state: AnsiState): string {
  if (char === '\x1b') state.mode = 'escape';
  else if (char === '\x9b') beginCsi(state);
  else if ('\x90\x98\x9d\x9e\x9f'.includes(char)) state.mode = 'string';
  else if (char === '\r') state.isReturned = true;
  else if (char === '\n') {
    state.isReturned = false;
    return '\n';
  } else if (char === '\t') return '\t';
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
    if (char === 'm' && state.params.length <= MAX_PARAMS_CHARS)
      state.style = applySgr(state.style, state.params);
  } else if (char >= ' ' && char <= '?' && state.params.length <= MAX_PARAMS_CHARS) state.params += char;
}

/** Index of the first match from `from` on, or the text's length. */
function indexOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}
