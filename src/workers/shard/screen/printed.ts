import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IMarker, Terminal } from '@xterm/headless';
import { guard } from './guards.js';
import {
  type BufferInternals,
  Content,
  internals,
  type LineInternals,
  type XtermInternals,
} from './internals.js';
import { rowText, trimBlanks } from './lines.js';
import { Tail } from './pending.js';
import { resizeTerminal } from './resize.js';
import { createTerminal, writeSync } from './terminal.js';

/** Parsed before what has scrolled off is taken away: no more rows than bytes, so that none gets lost. */
const PIECE_BYTES = 4096;
const SCROLLBACK = PIECE_BYTES + 1024;

/** Two bytes can clear a screen; of a large one, less is parsed in one go. */
const CELLS_PER_PIECE = 40_000_000;

/** The thread is given to others after so long. */
const TURN_MS = 4;

/** A stretch of raw output, or a resize between two. */
export type Segment = { bytes: Uint8Array } | { cols: number; rows: number };

/** Size of the screen and place of its cursor where a stretch of output begins; counted from 0. */
export interface PrintStart {
  cols: number;
  rows: number;
  row: number;
  col: number;
  altScreen: boolean;
}

export interface RenderOptions {
  /** Also gives what shows on an alternate screen at the end; true when absent. */
  alternate?: boolean;
  /** Lets others have the thread; called every few milliseconds. */
  giveWay?: () => Promise<void>;
}

/**
 * The non-empty logical lines that a stretch of output printed, with what it cleared itself, and without what it
 * drew on an alternate screen that it left again. Lines that were overwritten are given as they were last.
 *
 * Gives way to others every few milliseconds. Meant for some hundred KiB.
 */
export async function renderPrinted(
  segments: readonly Segment[],
  start: PrintStart,
  { alternate = true, giveWay = nextTurn }: RenderOptions = {},
): Promise<string[]> {
  const paper = new Paper(start);
  let turnEnds = performance.now() + TURN_MS;
  try {
    for (const segment of segments) {
      if (!('bytes' in segment)) {
        paper.resize(segment.cols, segment.rows);
        continue;
      }
      for (let from = 0; from < segment.bytes.length; ) {
        const to = from + paper.pieceBytes;
        paper.print(segment.bytes.subarray(from, to));
        from = to;
        if (performance.now() < turnEnds) continue;
        await giveWay();
        turnEnds = performance.now() + TURN_MS;
      }
    }
    return paper.finish(alternate);
  } finally {
    paper.dispose();
  }
}

/** A screen whose text is taken off before it scrolls away or is cleared. */
class Paper {
  readonly #term: Terminal;
  readonly #core: XtermInternals;
  readonly #tail = new Tail();
  readonly #start: PrintStart;
  /** The row on which printing began, wherever it moves; undefined when that was on the alternate screen. */
  readonly #firstRow: IMarker | undefined;
  readonly #lines: string[] = [];
  /** Of the logical line whose first rows are taken off already. */
  #open = '';

  constructor(start: PrintStart) {
    this.#start = start;
    this.#term = createTerminal(start.cols, start.rows, SCROLLBACK);
    this.#core = internals(this.#term);
    guard(this.#core);
    if (start.altScreen) writeSync(this.#term, '\x1b[?47h');
    writeSync(this.#term, `\x1b[${start.row + 1};${start.col + 1}H`);
    this.#firstRow = start.altScreen ? undefined : this.#term.registerMarker(0);
    this.#keepCleared();
  }

  get pieceBytes(): number {
    const { cols, rows } = this.#core;
    return Math.max(32, Math.min(PIECE_BYTES, Math.floor(CELLS_PER_PIECE / (cols * rows))));
  }

  print(bytes: Uint8Array): void {
    writeSync(this.#term, this.#tail.wholeCharacters(bytes));
    this.#takeScrolledOff();
  }

  resize(cols: number, rows: number): void {
    resizeTerminal(this.#term, cols, rows);
    this.#takeScrolledOff();
  }

  finish(alternate: boolean): string[] {
    const { normal, alt, active } = this.#core.buffers;
    this.#take(normal, normal.lines.length);
    this.#endLine();
    if (alternate && active === alt) this.#take(alt, alt.lines.length);
    this.#endLine();
    return this.#lines;
  }

  dispose(): void {
    this.#term.dispose();
  }

  /** Takes the text off before it is cleared, and lets nothing clear what has scrolled off. */
  #keepCleared(): void {
    for (const prefix of ['', '?']) {
      this.#term.parser.registerCsiHandler({ ...(prefix && { prefix }), final: 'J' }, ([what]) => {
        const { active, normal } = this.#core.buffers;
        const isAll = what === 2 || (what === 0 && active.x === 0 && active.y === 0);
        if (isAll && active === normal) this.#takeScreen();
        return what === 3;
      });
    }
    this.#term.parser.registerEscHandler({ final: 'c' }, () => {
      this.#takeScreen();
      return false;
    });
  }

  #takeScreen(): void {
    const { normal } = this.#core.buffers;
    this.#takeScrolledOff();
    this.#take(normal, normal.lines.length);
    this.#endLine();
  }

  #takeScrolledOff(): void {
    const { normal } = this.#core.buffers;
    const count = normal.ybase;
    if (count === 0) return;
    this.#take(normal, count);
    normal.lines.trimStart(count);
    normal.savedY -= count;
    normal.ybase = 0;
    normal.ydisp = 0;
  }

  /** The first `count` rows of the buffer; the logical line that goes on after them is left open. */
  #take(buffer: BufferInternals, count: number): void {
    for (let index = 0; index < count; index++) {
      const line = buffer.lines.get(index)!;
      const next = index + 1 < buffer.lines.length ? buffer.lines.get(index + 1) : undefined;
      const text = rowText(line, next?.isWrapped ? next : undefined);
      this.#open += this.#isFirst(buffer, index) ? text.slice(this.#unprinted(line)) : text;
      if (!next?.isWrapped) this.#endLine();
    }
  }

  #endLine(): void {
    const text = trimBlanks(this.#open);
    if (text !== '') this.#lines.push(text);
    this.#open = '';
  }

  #isFirst(buffer: BufferInternals, index: number): boolean {
    if (buffer === this.#core.buffers.normal) return this.#firstRow?.line === index;
    return this.#start.altScreen && index === this.#start.row;
  }

  /** Number of blanks left of where printing began. */
  #unprinted(line: LineInternals): number {
    let count = 0;
    const most = Math.min(this.#start.col, line.length);
    while (count < most && (line._data[count * 3]! & Content.any) === 0) count++;
    return count;
  }
}
