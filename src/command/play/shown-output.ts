import type { TerminalSize } from '../../client/types.js';
import { Modes } from '../attach/modes.js';
import { withoutQuery } from '../attach/queries.js';
import { Tokenizer } from '../attach/tokens.js';

const SAVE_TITLE = '\x1b[22;0t';
const RESTORE_TITLE = '\x1b[23;0t';

/** Cancels an unfinished sequence. */
const CANCEL = '\x18';

/** Recorded output on its way to a terminal: drops queries, and notes the modes that the output sets. */
export class ShownOutput {
  readonly #tokens = new Tokenizer();
  readonly #modes = new Modes();

  /** Returns the sequences that give the output an empty screen; the previous lines go to the scrollback. */
  begin({ rows }: TerminalSize): string {
    return `${SAVE_TITLE}\r${'\n'.repeat(rows - 1)}\x1b[H\x1b[J`;
  }

  /** Returns the part of a piece of output that the terminal gets. */
  take(data: string): string {
    let text = '';
    for (const token of this.#tokens.take(data)) {
      const passed = withoutQuery(token);
      if (passed !== '') this.#modes.take(token);
      text += passed;
    }
    return text;
  }

  /** Returns the sequences that reset the terminal, and put its cursor on a free line. */
  end({ cols, rows }: TerminalSize): string {
    const { isCursorLost } = this.#modes;
    const text = (this.#tokens.isInside ? CANCEL : '') + this.#modes.reset(cols);
    return `${text}${isCursorLost ? `\x1b[${rows};1H` : ''}\r\n\x1b[J${RESTORE_TITLE}`;
  }
}
