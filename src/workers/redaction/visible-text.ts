import { firstIndex } from '../first-index.js';

/** State of a reader of terminal output between two pieces; plain data. */
export interface ViewState {
  mode: 'text' | 'escape' | 'csi' | 'string';
  /** A blank, or a blank and a carriage return, by which a line editor may continue in the next row. */
  held: '' | ' ' | ' \r';
  /** First character of such a row, and the carriage return after which zsh prints it once more. */
  first: string;
  /** Whether the cursor has moved since the last visible character. */
  isMoved: boolean;
}

export function firstViewState(): ViewState {
  return { mode: 'text', held: '', first: '', isMoved: false };
}

/** Controls that begin a sequence, and blanks that precede a carriage return or end the piece. */
const SPECIAL = /[\x1b\x90\x98\x9b\x9d\x9e\x9f]| (?=\r|$)/g;

const SEQUENCE_START = /[\x1b\x90\x98\x9b\x9d\x9e\x9f]/;

/** A whole control sequence, as most of them are. */
const CONTROL_SEQUENCE = /\x1b\[[\x20-\x3f]*[@-~]/y;

/** Final characters of control sequences that move the cursor on, or to another row. */
const MOVES = 'ABCEFGHade`f';

/** Ends of a string: BEL, CAN, SUB, ST, and ESC, which begins another sequence. */
const STRING_END = /[\x07\x18\x1a\x1b\x9c]/g;

/**
 * The characters that output shows, and the place of each in the output: without escape sequences, and without the
 * blank and carriage return by which line editors continue in the next row of the screen, nor the character that zsh
 * prints twice there. So a secret that is coloured, or that is longer than a row, is one text. The strings in sequences,
 * such as titles, links and marks, are kept apart.
 */
export class VisibleText {
  /** The strings that begin in this output, or continue in it, each with its offset. */
  readonly strings: Array<{ offset: number; text: string }> = [];
  /** Indexes of the visible characters before which the cursor was moved: a word may begin at each. */
  readonly breaks: number[] = [];
  #text = '';
  #state: ViewState;
  /** Offset of the next piece. */
  #end = 0;
  /** Stretches without a gap: where they begin among the visible characters, and in the output. */
  readonly #runs: Array<{ at: number; offset: number }> = [];
  /** Characters that are printed once more in the same place: the index of each, and its offset the second time. */
  readonly #doubled: Array<{ at: number; offset: number }> = [];

  constructor(state: ViewState) {
    this.#state = state;
  }

  get text(): string {
    return this.#text;
  }

  get state(): ViewState {
    return this.#state;
  }

  push(piece: string): void {
    const base = this.#end;
    const state = { ...this.#state };
    this.#state = state;
    if (state.mode === 'string' && this.strings.length === 0) this.strings.push({ offset: base, text: '' });
    for (let at = 0; at < piece.length; ) {
      if (state.mode === 'text' && this.#takesHeld(piece[at]!, base + at)) {
        at++;
      } else if (state.mode === 'text') {
        const special = indexOf(SPECIAL, piece, at);
        this.#show(piece.slice(at, special), base + at);
        at = special + 1;
        CONTROL_SEQUENCE.lastIndex = special;
        if (CONTROL_SEQUENCE.test(piece)) {
          at = CONTROL_SEQUENCE.lastIndex;
          this.#sequence(piece[at - 1]!);
        } else if (special < piece.length) {
          state.mode = modeAtStart(piece[special]!);
          if (state.mode === 'text') state.held = ' ';
          if (state.mode === 'string') this.strings.push({ offset: base + at, text: '' });
        }
      } else if (state.mode === 'string') {
        const end = indexOf(STRING_END, piece, at);
        this.strings.at(-1)!.text += piece.slice(at, end);
        if (end < piece.length) state.mode = piece[end] === '\x1b' ? 'escape' : 'text';
        at = end + 1;
      } else {
        const before = state.mode;
        state.mode = modeAfter(before, piece[at]!);
        if (before === 'csi' && state.mode === 'text') this.#sequence(piece[at]!);
        at++;
        if (state.mode === 'string') this.strings.push({ offset: base + at, text: '' });
      }
    }
    this.#end += piece.length;
  }

  /** Shows the characters held back, since no output follows. */
  finish(): void {
    this.#state = { ...this.#state };
    this.#showHeld();
  }

  /** Takes the next character of text if what is held back depends on it. Returns whether it needs nothing more. */
  #takesHeld(char: string, offset: number): boolean {
    const state = this.#state;
    if (state.held === ' ') {
      if (char !== '\r') this.#showHeld(offset - 1);
      else state.held = ' \r';
      return char === '\r';
    }
    // Behind a movement, it goes to the beginning of the row into which the text goes on.
    if (state.isMoved && char === '\r') return true;
    if ((state.held === '' && state.first === '') || SEQUENCE_START.test(char)) return false;
    if (state.held !== '') {
      // A carriage return before a line feed ends a line; without the line feed, the line continues in the next row.
      if (char === '\n') this.#showHeld();
      state.held = '';
      if (char < '!') return false;
      this.#show(char, offset);
      state.first = char;
      return true;
    }
    if (state.first.length === 1 && char === '\r') {
      state.first += '\r';
      return true;
    }
    const isAgain = state.first.length > 1 && char === state.first[0];
    if (isAgain) this.#doubled.push({ at: this.#text.length - 1, offset });
    else this.#showHeld();
    state.first = '';
    return isAgain;
  }

  /** Takes the end of a control sequence. */
  #sequence(final: string): void {
    if (!MOVES.includes(final)) return;
    // No line editor moves the cursor where it goes on in the next row.
    this.#showHeld();
    this.#state.isMoved = true;
  }

  /** Shows what is held back; without an offset, as characters that no edit removes. */
  #showHeld(offset?: number): void {
    const held = this.#state.held + this.#state.first.slice(1);
    this.#state.held = '';
    this.#state.first = '';
    this.#show(held, offset ?? -held.length);
  }

  /** Returns the offsets of the visible characters from `start` to `end`; negative for characters before the output. */
  offsets(start: number, end: number): number[] {
    const offsets: number[] = [];
    let index = firstIndex(this.#runs.length, (each) => this.#runs[each]!.at > start) - 1;
    for (let at = start; at < end; at++) {
      const next = this.#runs[index + 1];
      if (next && next.at === at) index++;
      const run = this.#runs[index]!;
      offsets.push(run.offset + at - run.at);
    }
    const first = firstIndex(this.#doubled.length, (each) => this.#doubled[each]!.at >= start);
    const behind = firstIndex(this.#doubled.length, (each) => this.#doubled[each]!.at >= end);
    return [...offsets, ...this.#doubled.slice(first, behind).map(({ offset }) => offset)];
  }

  #show(text: string, offset: number): void {
    if (text === '') return;
    if (this.#state.isMoved) this.breaks.push(this.#text.length);
    this.#state.isMoved = false;
    this.#runs.push({ at: this.#text.length, offset });
    this.#text += text;
  }
}

/** Returns the index of the first match from `from` on, or the text's length. */
function indexOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

function modeAtStart(char: string): ViewState['mode'] {
  if (char === ' ') return 'text';
  if (char === '\x1b') return 'escape';
  return char === '\x9b' ? 'csi' : 'string';
}

/** Returns the mode after a character within a sequence. */
function modeAfter(mode: 'escape' | 'csi', char: string): ViewState['mode'] {
  if (char === '\x1b') return 'escape';
  if (char === '\x18' || char === '\x1a') return 'text';
  if (mode === 'csi') return char >= '@' && char !== '\x7f' ? 'text' : 'csi';
  if (char === '[') return 'csi';
  if (']PX^_'.includes(char)) return 'string';
  // Intermediate characters come before the final one.
  return char >= ' ' && char <= '/' ? 'escape' : 'text';
}
