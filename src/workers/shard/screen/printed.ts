import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Terminal } from '@xterm/headless';
import { type BufferInternals, internals, type XtermInternals } from './internals.js';
import { logicalLines, rowText } from './lines.js';
import { createTerminal, resizeTerminal, writeSync } from './terminal.js';

/** What a terminal printed: bytes, or a resize between them. */
export type PrintedSegment = { bytes: Uint8Array } | { cols: number; rows: number };

/** The screen on which printing began: its size, and where the cursor stood. */
export interface PrintedStart {
  cols: number;
  rows: number;
  /** Count from 0. */
  row: number;
  col: number;
  altScreen: boolean;
}

/** Lines are collected after each slice; one of only line feeds stays within the scrollback. */
const SLICE_BYTES = 4 * 1024;
const SCROLLBACK = 5_000;

/** Rendered before others get their turn: about 2 ms. */
const TURN_BYTES = 64 * 1024;

/** Stands in the cells before the cursor's first column, so that they can be told from printed blanks. */
const FILLER = '\ufdd0';

/**
 * The non-empty logical lines that a stretch of output printed, as clean text. It is rendered on an empty screen,
 * so that a progress bar is its last state; what it cleared itself was printed all the same. Text of the alternate
 * screen counts, last, when that still shows.
 */
export async function renderPrinted(
  segments: readonly PrintedSegment[],
  start: PrintedStart,
): Promise<string[]> {
  const printed = new PrintedScreen(start);
  try {
    let sinceTurn = 0;
    for (const segment of segments) {
      if ('cols' in segment) {
        printed.resize(segment.cols, segment.rows);
        continue;
      }
      for (let from = 0; from < segment.bytes.length; from += SLICE_BYTES) {
        printed.feed(segment.bytes.subarray(from, from + SLICE_BYTES));
        sinceTurn += SLICE_BYTES;
        if (sinceTurn < TURN_BYTES) continue;
        sinceTurn = 0;
        await nextTurn();
      }
    }
    return printed.lines();
  } finally {
    printed.dispose();
  }
}

class PrintedScreen {
  readonly #term: Terminal;
  readonly #core: XtermInternals;
  readonly #lines: string[] = [];
  /** Text of a line whose end has not left the screen yet. */
  #open = '';

  constructor({ cols, rows, row, col, altScreen }: PrintedStart) {
    this.#term = createTerminal(cols, rows, SCROLLBACK);
    this.#core = internals(this.#term);
    if (altScreen) writeSync(this.#term, '\x1b[?1049h');
    writeSync(
      this.#term,
      `\x1b[${row + 1};1H${FILLER.repeat(Math.min(col, cols))}\x1b[${row + 1};${col + 1}H`,
    );
    this.#keepWhatIsCleared();
  }

  feed(bytes: Uint8Array): void {
    writeSync(this.#term, bytes);
    this.#collect();
  }

  resize(cols: number, rows: number): void {
    this.#collect();
    resizeTerminal(this.#term, cols, rows);
  }

  lines(): string[] {
    this.#takeScreen();
    const { active, alt } = this.#core.buffers;
    if (active === alt) for (const line of logicalLines(alt)) this.#add(line);
    return this.#lines;
  }

  dispose(): void {
    this.#term.dispose();
  }

  #keepWhatIsCleared(): void {
    const { parser } = this.#term;
    parser.registerEscHandler({ final: 'c' }, () => {
      this.#takeScreen();
      return false;
    });
    parser.registerCsiHandler({ final: 'J' }, ([erase]) => {
      const { active, normal } = this.#core.buffers;
      // Nothing is left in the scrollback that has not been collected; the cursor's moves count on it being there.
      if (erase === 3) return true;
      const whole = erase === 2 || (!erase && active.x === 0 && active.y === 0);
      if (whole && active === normal) this.#takeScreen();
      return false;
    });
  }

  /** Moves the lines that have left the normal screen into the result. */
  #collect(): void {
    const { normal } = this.#core.buffers;
    const count = normal.ybase;
    for (let index = 0; index < count; index++) this.#row(normal, index);
    normal.lines.trimStart(count);
    normal.ybase = 0;
    normal.ydisp = 0;
  }

  /** The same, with the lines of the normal screen, which is about to be cleared. */
  #takeScreen(): void {
    this.#collect();
    const { normal } = this.#core.buffers;
    for (let index = 0; index < normal.lines.length; index++) this.#row(normal, index);
    this.#add(this.#open);
    this.#open = '';
  }

  #row(buffer: BufferInternals, index: number): void {
    const next = buffer.lines.get(index + 1);
    this.#open += rowText(buffer.lines.get(index)!, next?.isWrapped ? next : undefined);
    if (next?.isWrapped) return;
    this.#add(this.#open);
    this.#open = '';
  }

  #add(line: string): void {
    const text = line
      .replace(/^\ufdd0+/, '')
      .replaceAll(FILLER, ' ')
      .trimEnd();
    if (text !== '') this.#lines.push(text);
  }
}
