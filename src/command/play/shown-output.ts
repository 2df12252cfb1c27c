import type { TerminalSize } from '../../client/types.js';
import { Modes } from '../attach/modes.js';
import { withoutQuery } from '../attach/queries.js';
import { Tokenizer } from '../attach/tokens.js';

const SAVE_TITLE = '\x1b[22;0t';
const RESTORE_TITLE = '\x1b[23;0t';

/** Ends a sequence that was begun, without effect. */
const CANCEL = '\x18';

/** Recorded output on its way to a terminal: without queries, and with everything that it sets noted. */
export class ShownOutput {
  readonly #tokens = new Tokenizer();
  readonly #modes = new Modes();

  /** Returns what gives the output an empty screen; the lines that were there go to the scrollback. */
  begin({ rows }: TerminalSize): string {
    return `${SAVE_TITLE}\r${'\n'.repeat(rows - 1)}\x1b[H\x1b[J`;
  }

  /** Returns what the terminal gets of a piece of output. */
  take(data: string): string {
    let text = '';
    for (const token of this.#tokens.take(data)) {
      const passed = withoutQuery(token);
      if (passed !== '') this.#modes.take(token);
      text += passed;
    }
    return text;
  }

  /** Returns what resets the terminal, and puts its cursor on a free line. */
  end({ cols, rows }: TerminalSize): string {
    const { isCursorLost } = this.#modes;
    const text = (this.#tokens.isInside ? CANCEL : '') + this.#modes.reset(cols);
    return `${text}${isCursorLost ? `\x1b[${rows};1H` : ''}\r\n\x1b[J${RESTORE_TITLE}`;
  }
}
