import { Screen } from './screen.js';

/** Lines above the screen: a row that the last of them wraps into is known as such. */
export const SPARE_SCROLLBACK = 1;

/** A reset, and before it what xterm does not count to that: colours, titles, a blinking or hidden cursor, LF as CR LF. */
const RESET = Buffer.from(
  '\x1b]104\x07\x1b]110\x07\x1b]111\x07\x1b]112\x07\x1b]0;\x07\x1b[?12l\x1b[20l\x1b[?25h\x1bc',
);

/** One screen for the passing questions of a whole shard: to make one takes more than to fill it. */
export class SpareScreen {
  #screen: Screen | undefined;

  /**
   * A screen of this size as if it had been fed `parts` and nothing else. It is the caller's until the next call, and
   * answers no queries.
   */
  fed(cols: number, rows: number, parts: readonly Uint8Array[]): Screen {
    const screen = this.#empty(cols, rows);
    // One that has failed is not used again.
    this.#screen = undefined;
    for (const bytes of parts) screen.feed(bytes);
    this.#screen = screen;
    return screen;
  }

  #empty(cols: number, rows: number): Screen {
    const screen = this.#screen;
    if (screen?.cols === cols && screen.rows === rows && screen.isAtRest) {
      screen.feed(RESET);
      return screen;
    }
    screen?.dispose();
    return new Screen({ cols, rows, scrollback: SPARE_SCROLLBACK });
  }
}
