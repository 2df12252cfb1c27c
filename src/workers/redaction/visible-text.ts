/** State of a reader of terminal output between two pieces; plain data. */
export interface ViewState {
  mode: 'text' | 'escape' | 'csi' | 'string';
  /** A blank, or a blank and a carriage return, by which a line editor may continue in the next row. */
  held: '' | ' ' | ' \r';
}

export function firstViewState(): ViewState {
  return { mode: 'text', held: '' };
}

/** Controls that begin a sequence, and blanks that precede a carriage return or end the piece. */
const SPECIAL = /[\x1b\x90\x98\x9b\x9d\x9e\x9f]| (?=\r|$)/g;

/** A whole control sequence, as most of them are. */
const CONTROL_SEQUENCE = /\x1b\[[\x20-\x3f]*[@-~]/y;

/** Ends of a string: BEL, CAN, SUB, ST, and ESC, which begins another sequence. */
const STRING_END = /[\x07\x18\x1a\x1b\x9c]/g;

/**
 * The characters that output shows, and the place of each in the output: without escape sequences, and without the
 * blank and carriage return by which line editors continue in the next row of the screen. So a secret that is coloured,
 * or that is longer than a row, is one text. The strings in sequences, such as titles, links and marks, are kept apart.
 */
export class VisibleText {
  /** The strings that begin in this output, or continue in it, each with its offset. */
  readonly strings: Array<{ offset: number; text: string }> = [];
  #text = '';
  #state: ViewState;
  /** Offset of the next piece. */
  #end = 0;
  /** Stretches without a gap: where they begin among the visible characters, and in the output. */
  readonly #runs: Array<{ at: number; offset: number }> = [];

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
    let { mode, held } = this.#state;
    const base = this.#end;
    if (mode === 'string' && this.strings.length === 0) this.strings.push({ offset: base, text: '' });
    for (let at = 0; at < piece.length; ) {
      if (mode === 'text' && held !== '') {
        const isReturn = held === ' ' && piece[at] === '\r';
        if (isReturn) at++;
        // A carriage return before a line feed ends a line; without the line feed, the line continues in the next row.
        else if (held === ' ' || piece[at] === '\n') this.#show(held, base + at - held.length);
        held = isReturn ? ' \r' : '';
      } else if (mode === 'text') {
        const special = indexOf(SPECIAL, piece, at);
        this.#show(piece.slice(at, special), base + at);
        at = special + 1;
        CONTROL_SEQUENCE.lastIndex = special;
        if (CONTROL_SEQUENCE.test(piece)) {
          at = CONTROL_SEQUENCE.lastIndex;
        } else if (special < piece.length) {
          mode = modeAtStart(piece[special]!);
          if (mode === 'text') held = ' ';
          if (mode === 'string') this.strings.push({ offset: base + at, text: '' });
        }
      } else if (mode === 'string') {
        const end = indexOf(STRING_END, piece, at);
        this.strings.at(-1)!.text += piece.slice(at, end);
        if (end < piece.length) mode = piece[end] === '\x1b' ? 'escape' : 'text';
        at = end + 1;
      } else {
        mode = modeAfter(mode, piece[at]!);
        at++;
        if (mode === 'string') this.strings.push({ offset: base + at, text: '' });
      }
    }
    this.#end += piece.length;
    this.#state = { mode, held };
  }

  /** Shows the characters held back, since no output follows. */
  finish(): void {
    const { mode, held } = this.#state;
    this.#show(held, this.#end - held.length);
    this.#state = { mode, held: '' };
  }

  /** Returns the offsets of the visible characters from `start` to `end`; negative for characters before the output. */
  offsets(start: number, end: number): number[] {
    const offsets: number[] = [];
    let index = this.#runs.findLastIndex(({ at }) => at <= start);
    for (let at = start; at < end; at++) {
      const next = this.#runs[index + 1];
      if (next && next.at === at) index++;
      const run = this.#runs[index]!;
      offsets.push(run.offset + at - run.at);
    }
    return offsets;
  }

  #show(text: string, offset: number): void {
    if (text === '') return;
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
