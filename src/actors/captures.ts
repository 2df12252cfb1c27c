import { setImmediate } from 'node:timers/promises';
import { DomainError } from '../contract/errors.js';
import type { TmuxCapture } from '../contract/host-protocol.js';
import { CAPTURE_SLICE_ROWS } from '../contract/limits.js';
import type { Capture, Reflowed, TerminalSize } from '../contract/terminal.js';
import { KeyedMutex } from './keyed-mutex.js';
import type { Screens } from './screens.js';
import type { Terminals } from './terminals.js';
import { StyledRows } from './tmux/styled-rows.js';

export interface CapturesOptions {
  terminals: Pick<Terminals, 'startOf' | 'tmuxCapture'>;
  sizes: Pick<Terminals, 'resize'>;
  screens: Pick<Screens, 'capture'>;
}

/** Captures what terminals show, row by row: from tmux for terminals that live in tmux, else from their own screens. */
export class Captures {
  readonly #options: CapturesOptions;
  readonly #turns = new KeyedMutex();

  constructor(options: CapturesOptions) {
    this.#options = options;
  }

  /** Returns the rows of the screen, with the scrollback if wanted. Throws terminal-not-found, `unavailable`. */
  async capture(id: string, scrollback: boolean): Promise<Capture> {
    return (await this.#fromTmux(id, scrollback)) ?? this.#options.screens.capture(id, scrollback);
  }

  /**
   * Resizes a terminal. tmux reflows its screen and scrollback, which come with the answer unless `content` is false.
   * Throws terminal-not-found, also if the terminal exits meanwhile; resized-meanwhile if another resize comes in
   * between; `unavailable`.
   */
  async reflow(id: string, size: TerminalSize, content: boolean): Promise<Reflowed> {
    const { terminals, sizes } = this.#options;
    if (terminals.startOf(id).meta.backend === 'tmux') {
      const { signal } = new AbortController();
      return this.#turns.take(id, signal, () => this.#reflow(id, size, content));
    }
    await sizes.resize(id, size);
    return { status: 'ok', ...size, reflow_applied: false };
  }

  async #reflow(id: string, size: TerminalSize, content: boolean): Promise<Reflowed> {
    const { terminals, sizes } = this.#options;
    const { resizes = 0 } = terminals.startOf(id);
    await sizes.resize(id, size);
    const reflowed = { status: 'ok' as const, ...size, reflow_applied: true };
    if (!content) return reflowed;
    // Rows that do not fit move into the scrollback, and rows return from there, so the capture includes it.
    const captured = await this.#fromTmux(id, true);
    if (!captured) throw new DomainError('terminal-not-found');
    // With another resize in between, the capture may have the size of that.
    if (terminals.startOf(id).resizes !== resizes + 1) throw new DomainError('resized-meanwhile');
    return { ...reflowed, content: captured };
  }

  async #fromTmux(id: string, scrollback: boolean): Promise<Capture | null> {
    const captured = await this.#options.terminals.tmuxCapture(id, scrollback);
    return captured && toCapture(captured, scrollback, this.#options.terminals.startOf(id).size);
  }
}

/** Converts a capture in slices, between which other work gets the thread: a scrollback can have 100,000 rows. */
async function toCapture(
  { rows, cursor: [row, column] }: TmuxCapture,
  scrollback: boolean,
  { cols }: TerminalSize,
): Promise<Capture> {
  const styled = new StyledRows();
  const lines: string[] = [];
  for (let at = 0; at < rows.length; at += CAPTURE_SLICE_ROWS) {
    if (at > 0) await setImmediate();
    for (const each of rows.slice(at, at + CAPTURE_SLICE_ROWS)) lines.push(styled.next(each));
  }
  return {
    content: lines.join('\n'),
    line_count: lines.length,
    includes_scrollback: scrollback,
    // A cursor that waits to wrap is behind the last column.
    cursor_position: [row, Math.min(column, cols - 1)],
  };
}
