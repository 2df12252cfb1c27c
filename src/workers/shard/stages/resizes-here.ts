import { MAX_LOG_RESIZES } from '../../../contract/limits.js';
import type { TerminalSize } from '../../../contract/terminal.js';

export interface NumberedResize {
  /** See {@link ResizesHere}. */
  number: number;
  /** Whether it is known not to be a replayed one. */
  isNew: boolean;
}

/**
 * The resizes at the present position of a terminal's output, numbered from 1 on in the order in which a replay brings
 * them: resizes that the pty host's checkpoint includes do not count.
 */
export class ResizesHere {
  #position = 0;
  #sizes: TerminalSize[] = [];

  get count(): number {
    return this.#sizes.length;
  }

  /** Returns the number of a resize. */
  add(size: TerminalSize, position: number): number {
    if (position !== this.#position) this.#sizes = [];
    this.#position = position;
    this.#sizes.push(size);
    // The pty host keeps no more either.
    if (this.count > MAX_LOG_RESIZES) this.#sizes.shift();
    return this.count;
  }

  /** Call at output: its end is the present position. */
  moved(): void {
    this.#sizes = [];
  }

  /** Forgets the resizes that a checkpoint includes, as the pty host does. Returns how many that are. */
  saved({ position, cols, rows }: TerminalSize & { position: number }): number {
    if (position !== this.#position) return 0;
    const last = this.#sizes.findLastIndex((size) => size.cols === cols && size.rows === rows);
    return this.#sizes.splice(0, last + 1).length;
  }
}
