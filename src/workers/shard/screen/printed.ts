import { setImmediate as nextTurn } from 'node:timers/promises';
import { Paper, PIECE_BYTES, type PrintStart } from './paper.js';

export type { PrintStart } from './paper.js';

/** The thread is given to others after so long. */
const TURN_MS = 4;

/** A stretch of raw output, or a resize between two. */
export type Segment = { bytes: Uint8Array } | { cols: number; rows: number };

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
  return render(segments, new Paper(start, { keepsEmpty: false }), alternate, giveWay);
}

/**
 * The text that a stretch of output printed, like {@link renderPrinted}, with its empty lines. It ends with a line
 * feed when the cursor was left on a line of its own.
 */
export async function renderText(segments: readonly Segment[], start: PrintStart): Promise<string> {
  const alternate = true;
  const lines = await render(segments, new Paper(start, { keepsEmpty: true }), alternate, nextTurn);
  return lines.join('\n');
}

async function render(
  segments: readonly Segment[],
  paper: Paper,
  alternate: boolean,
  giveWay: () => Promise<void>,
): Promise<string[]> {
  let turnEnds = performance.now() + TURN_MS;
  try {
    for (const segment of segments) {
      if (!('bytes' in segment)) {
        paper.resize(segment.cols, segment.rows);
        continue;
      }
      for (let from = 0; from < segment.bytes.length; from += PIECE_BYTES) {
        paper.begin(segment.bytes.subarray(from, from + PIECE_BYTES));
        for (let hasMore = true; hasMore; ) {
          hasMore = paper.step();
          if (performance.now() < turnEnds) continue;
          await giveWay();
          turnEnds = performance.now() + TURN_MS;
        }
      }
    }
    return paper.finish(alternate);
  } finally {
    paper.dispose();
  }
}
