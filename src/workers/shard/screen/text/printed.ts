import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Steps } from '../../steps.js';
import { lineStart, type PrintStart } from './print-start.js';
import { type Lines, PIECE_BYTES, ReplayScreen } from './replay-screen.js';

/** Milliseconds of work after which the thread is yielded. */
const TURN_MS = 4;

/** All text: also empty lines, and the text that an alternate screen shows at the end. */
const TEXT = { keepsEmpty: true, alternate: true };

/**
 * An empty screen for the next range. Making a screen takes as long as parsing some 10 KB, and collecting its garbage
 * takes about as long again: the search index reads each terminal that prints every few seconds.
 */
let spare: ReplayScreen | undefined;

/** Cells of the largest screen that is kept: it takes 768 KiB. */
const MAX_SPARE_CELLS = 64 * 1024;

/** A range of raw output, or a resize between two ranges. */
export type Segment = { bytes: Uint8Array } | { cols: number; rows: number };

export interface RenderOptions {
  /** Whether to also return the text that an alternate screen shows at the end; true by default. */
  alternate?: boolean;
  /** See {@link Lines.marksFull}; false by default. */
  marksFull?: boolean;
  /** Yields the thread; called every few milliseconds. */
  giveWay?: () => Promise<void>;
}

/**
 * Returns the non-empty logical lines that a range of output printed, including text that it cleared itself, but not
 * text that it drew on an alternate screen that it left again. Overwritten lines are returned in their last state.
 *
 * Yields the thread every few milliseconds. Meant for some hundred KiB.
 */
export async function renderPrinted(
  segments: readonly Segment[],
  start: PrintStart,
  { alternate = true, marksFull, giveWay = nextTurn }: RenderOptions = {},
): Promise<string[]> {
  return inTurns(replaySteps(segments, start, { keepsEmpty: false, alternate, marksFull }), giveWay);
}

/**
 * Returns the text that a range of output printed, like {@link renderPrinted}, but with its empty lines. The text ends
 * with a line feed when the cursor was left on a new line.
 */
export async function renderText(segments: readonly Segment[], start: PrintStart): Promise<string> {
  return inTurns(renderTextSteps(segments, start));
}

/** Lines that a range of output leaves on a screen. */
export interface Drawn {
  /** The lines of {@link renderText}. */
  lines: string[];
  /** See {@link ReplayScreen.isAtNewLine}. */
  isAtNewLine: boolean;
}

/** Returns the lines of the text that {@link renderText} returns. */
export async function renderDrawn(segments: readonly Segment[], start: PrintStart): Promise<Drawn> {
  return inTurns(drawnSteps(segments, start, TEXT));
}

/**
 * Renders lines that overwrite nothing but themselves, on one screen after another line. Yields the thread every few
 * milliseconds, however short the lines are.
 */
export class LineRenderer {
  #turnEnds = performance.now() + TURN_MS;
  #screen: ReplayScreen | undefined;
  #size = { cols: 0, rows: 0 };

  /** Returns the text of a line that has ended, with its line feed. The line begins on the first column. */
  async render(segments: readonly Segment[], size: { cols: number; rows: number }): Promise<string> {
    if (!this.#screen || size.cols !== this.#size.cols || size.rows !== this.#size.rows) {
      this.close();
      this.#screen = new ReplayScreen(lineStart(size), TEXT);
    }
    // The next line may have another size.
    const last = segments.findLast((segment) => 'cols' in segment);
    this.#size = last ? { cols: 0, rows: 0 } : size;
    const screen = this.#screen;
    await inTurns(feedSteps(screen, segments));
    const text = `${screen.takeLines().join('\n')}\n`;
    if (performance.now() >= this.#turnEnds) {
      await nextTurn();
      this.#turnEnds = performance.now() + TURN_MS;
    }
    return text;
  }

  close(): void {
    this.#screen?.dispose();
    this.#screen = undefined;
  }
}

/** Returns the text as {@link renderText} does, in steps. */
export function* renderTextSteps(segments: readonly Segment[], start: PrintStart): Steps<string> {
  return (yield* replaySteps(segments, start, TEXT)).join('\n');
}

/** Does the steps, and yields the thread every few milliseconds. */
export async function inTurns<Result>(
  steps: Steps<Result>,
  giveWay: () => Promise<void> = nextTurn,
): Promise<Result> {
  let turnEnds = performance.now() + TURN_MS;
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      if (performance.now() < turnEnds) continue;
      await giveWay();
      turnEnds = performance.now() + TURN_MS;
    }
  } finally {
    // Frees the screen if yielding has failed.
    (steps as Generator<void, unknown, void>).return(undefined);
  }
}

function* replaySteps(
  segments: readonly Segment[],
  start: PrintStart,
  how: Lines & { alternate: boolean },
): Steps<string[]> {
  return (yield* drawnSteps(segments, start, how)).lines;
}

function* drawnSteps(
  segments: readonly Segment[],
  start: PrintStart,
  { alternate, ...how }: Lines & { alternate: boolean },
): Steps<Drawn> {
  const screen = screenFrom(start, how);
  let isUsable = false;
  try {
    yield* feedSteps(screen, segments);
    const { isAtNewLine } = screen;
    const lines = screen.finish(alternate);
    isUsable = start.cols * start.rows <= MAX_SPARE_CELLS && screen.reset();
    return { lines, isAtNewLine };
  } finally {
    // A screen that has failed, or was left in the middle, is not used again.
    const unused = isUsable ? spare : screen;
    if (isUsable) spare = screen;
    unused?.dispose();
  }
}

function screenFrom(start: PrintStart, how: Lines): ReplayScreen {
  const screen = spare;
  if (!screen?.isOf(start)) return new ReplayScreen(start, how);
  spare = undefined;
  screen.restart(start, how);
  return screen;
}

function* feedSteps(screen: ReplayScreen, segments: readonly Segment[]): Steps<void> {
  for (const segment of segments) {
    if (!('bytes' in segment)) {
      screen.resize(segment.cols, segment.rows);
      continue;
    }
    for (let from = 0; from < segment.bytes.length; from += PIECE_BYTES) {
      screen.begin(segment.bytes.subarray(from, from + PIECE_BYTES));
      for (let hasMore = true; hasMore; ) {
        hasMore = screen.step();
        yield;
      }
    }
  }
}
