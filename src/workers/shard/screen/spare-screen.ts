import { Screen } from './screen.js';
import { RESET } from './xterm/reset.js';

/** Number of lines above the screen. With a line there, the screen's first row can be known as wrapped. */
export const SPARE_SCROLLBACK = 1;

/** A screen shared by the brief requests of a whole shard, because making a screen costs more than filling it. */
export class SpareScreen {
  #screen: Screen | undefined;

  /**
   * Returns a screen of this size, as if it had been fed `parts` and nothing else. The caller may use it until the next
   * call. The screen answers no queries.
   */
  fed(cols: number, rows: number, parts: readonly Uint8Array[]): Screen {
    const screen = this.#empty(cols, rows);
    // A screen that fails here is not used again.
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
