import { applySgr, type SgrStyle } from '../../workers/sgr.js';

/**
 * Contents of a row of tmux: SGR, links (from tmux 3.4 on), the shifts to the line drawing characters and back, and
 * text. Only SGR and text are passed on.
 */
const TOKENS = /\x1b\[([\d;:]*)m|\x1b\]8;[^\x1b\x07]*(?:\x1b\\|\x07)|([\x0e\x0f])|([^\x1b\x0e\x0f]+)/g;

const SHIFT_OUT = '\x0e';

/** The line drawing characters of a VT100, which replace ` to ~. */
const DRAWN = '◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·';
const FIRST_DRAWN = '`'.charCodeAt(0);

/** Number of changes of style that are remembered: programs have few, except for pictures made of colours. */
const MAX_KNOWN = 1_000;

interface Known {
  style: SgrStyle;
  /** Parameters of the SGR sequence that produces the style from plain text. */
  parameters: string;
}

const PLAIN: Known = { style: {}, parameters: '' };

/**
 * Converts rows that `tmux capture-pane -e` prints one after the other into rows as `Capture` of the contract promises
 * them. tmux begins a row in the style of the end of the row before; here each row begins and ends in plain text.
 */
export class StyledRows {
  /** The style after a change, by the style before it and its parameters. */
  readonly #known = new Map<string, Known>();
  #current = PLAIN;
  #isDrawing = false;

  /**
   * Returns the next row as text and SGR, plain at its start and its end; blanks at its end are cut unless they have a
   * style.
   */
  next(row: string): string {
    let styled = '';
    let written = '';
    for (const [, parameters, shift, text] of row.matchAll(TOKENS)) {
      if (parameters !== undefined) this.#change(parameters);
      else if (shift !== undefined) this.#isDrawing = shift === SHIFT_OUT;
      else if (text !== undefined) {
        const wanted = this.#current.parameters;
        if (written !== wanted) styled += sgr(written, wanted);
        written = wanted;
        styled += this.#isDrawing ? drawn(text) : text;
      }
    }
    return written === '' ? styled.replace(/ +$/, '') : `${styled}\x1b[m`;
  }

  #change(parameters: string): void {
    const change = `${this.#current.parameters} ${parameters}`;
    const known = this.#known.get(change);
    if (known === undefined) {
      const style = applySgr(this.#current.style, parameters);
      this.#current = { style, parameters: Object.values(style).join(';') };
      if (this.#known.size >= MAX_KNOWN) this.#known.clear();
      this.#known.set(change, this.#current);
    } else this.#current = known;
  }
}

/** Returns the SGR sequence that changes one style into another. */
function sgr(from: string, to: string): string {
  if (from === '') return `\x1b[${to}m`;
  return to === '' ? '\x1b[m' : `\x1b[0;${to}m`;
}

function drawn(text: string): string {
  return text.replace(/[`-~]/g, (character) => DRAWN[character.charCodeAt(0) - FIRST_DRAWN]!);
}
