import { looksAfter } from './looks.js';

/**
 * Contents of a row of tmux: SGR, links (from tmux 3.4 on), the shifts to the line drawing characters and back, and
 * text. Only SGR and text are passed on.
 */
const TOKENS = /\x1b\[([\d;:]*)m|\x1b\]8;[^\x1b\x07]*(?:\x1b\\|\x07)|([\x0e\x0f])|([^\x1b\x0e\x0f]+)/g;

const SHIFT_OUT = '\x0e';

/** The line drawing characters of a VT100, which replace ` to ~. */
const DRAWN = '◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·';
const FIRST_DRAWN = '`'.charCodeAt(0);

/** Number of changes of looks that are remembered: programs have few, except for pictures made of colours. */
const MAX_KNOWN = 1_000;

/**
 * Converts rows that `tmux capture-pane -e` prints one after the other into rows as `Capture` of the contract promises
 * them. tmux begins a row with the looks at the end of the row before; here each row begins and ends without looks.
 */
export class StyledRows {
  /** The looks after a change, by the looks before it and its parameters. */
  readonly #known = new Map<string, string>();
  #looks = '';
  #isDrawing = false;

  /**
   * Returns the next row as text and SGR, without looks at its start and its end; blanks at its end are cut unless they
   * have looks.
   */
  next(row: string): string {
    let styled = '';
    let written = '';
    for (const [, parameters, shift, text] of row.matchAll(TOKENS)) {
      if (parameters !== undefined) this.#change(parameters);
      else if (shift !== undefined) this.#isDrawing = shift === SHIFT_OUT;
      else if (text !== undefined) {
        if (written !== this.#looks) styled += sgr(written, this.#looks);
        written = this.#looks;
        styled += this.#isDrawing ? drawn(text) : text;
      }
    }
    return written === '' ? styled.replace(/ +$/, '') : `${styled}\x1b[m`;
  }

  #change(parameters: string): void {
    const change = `${this.#looks} ${parameters}`;
    const known = this.#known.get(change);
    this.#looks = known ?? looksAfter(this.#looks, parameters);
    if (known !== undefined) return;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(change, this.#looks);
  }
}

/** Returns the SGR sequence that changes one set of looks into another. */
function sgr(from: string, to: string): string {
  if (from === '') return `\x1b[${to}m`;
  return to === '' ? '\x1b[m' : `\x1b[0;${to}m`;
}

function drawn(text: string): string {
  return text.replace(/[`-~]/g, (character) => DRAWN[character.charCodeAt(0) - FIRST_DRAWN]!);
}
