import { setImmediate as nextTurn } from 'node:timers/promises';
import { PIECE_BYTES, type PrintStart, ReplayScreen } from './replay-screen.js';

export type { PrintStart } from './replay-screen.js';

/** Milliseconds of work after which the thread is yielded. */
const TURN_MS = 4;

/** A range of raw output, or a resize between two ranges. */
export type Segment = { bytes: Uint8Array } | { cols: number; rows: number };

export interface RenderOptions {
  /** Whether to also return the text that an alternate screen shows at the end; true by default. */
  alternate?: boolean;
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
  { alternate = true, giveWay = nextTurn }: RenderOptions = {},
): Promise<string[]> {
  return render(segments, new ReplayScreen(start, { keepsEmpty: false }), alternate, giveWay);
}

/**
 * Returns the text that a range of output printed, like {@link renderPrinted}, but with its empty lines. The text ends
 * with a line feed when the cursor was left on a new line.
 */
export async function renderText(segments: readonly Segment[], start: PrintStart): Promise<string> {
  const alternate = true;
  const lines = await render(segments, new ReplayScreen(start, { keepsEmpty: true }), alternate, nextTurn);
  return lines.join('\n');
}

async function render(
  segments: readonly Segment[],
  paper: ReplayScreen,
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
