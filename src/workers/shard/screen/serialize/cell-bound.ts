import { Content, type LineInternals, type XtermInternals } from '../xterm/internals.js';

/**
 * Most combining characters in one cell. No script stacks more than a dozen; kitty and xterm keep fewer. Without a
 * bound, one cell could take megabytes, and so could each snapshot and checkpoint of its screen.
 */
export const MAX_CELL_MARKS = 32;

/** Lowest code point of a combining character. */
const FIRST_MARK = 0x300;

/**
 * Makes xterm drop combining characters beyond {@link MAX_CELL_MARKS} of a cell as they are printed. They take no
 * column, so nothing else changes. REP prints through the same function, so the bound covers it.
 */
export function boundCells(core: XtermInternals): void {
  const handler = core._inputHandler;
  const print = handler.print.bind(handler);
  handler.print = (data, start, end) => {
    const kept = withoutExcess(core, data, start, end);
    if (kept) print(kept, 0, kept.length);
    else print(data, start, end);
    if (!core.coreService.decPrivateModes.wraparound) trimAtEdge(core);
  };
}

/** Returns the code points without excess combining characters; undefined, as nearly always, if none are in excess. */
function withoutExcess(
  core: XtermInternals,
  data: Uint32Array,
  start: number,
  end: number,
): Uint32Array | undefined {
  if (!mayExceed(data, start, end)) return undefined;
  const { unicodeService } = core;
  // Without a character before it, a combining character gets its own cell, as do the combining characters after it.
  let isJoining = widthBefore(core) > 0;
  let marks = isJoining ? marksBefore(core) : 0;
  let kept: Uint32Array | undefined;
  let length = 0;
  for (let at = start; at < end; at++) {
    const code = data[at]!;
    if (code < FIRST_MARK || unicodeService.wcwidth(code) > 0) {
      isJoining = true;
      marks = 0;
    } else if (isJoining) {
      marks += 1;
      if (marks > MAX_CELL_MARKS) {
        if (!kept) {
          kept = data.slice(start, end);
          length = at - start;
        }
        continue;
      }
    }
    if (kept) kept[length++] = code;
  }
  return kept?.subarray(0, length);
}

/**
 * Returns whether a run of combining characters may be too long. A run that alone exceeds MAX_CELL_MARKS covers one of
 * the sampled places, and a run that adds to a cell printed earlier begins at the first of them.
 */
function mayExceed(data: Uint32Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += MAX_CELL_MARKS) if (data[at]! >= FIRST_MARK) return true;
  return false;
}

/** Returns the width of the character that a combining character would join; 0 when there is none. */
function widthBefore(core: XtermInternals): number {
  return (core._inputHandler._parser.precedingJoinState >> 1) & 3;
}

function marksBefore(core: XtermInternals): number {
  const { lines, ybase, y, x } = core.buffers.active;
  const line = lines.get(ybase + y);
  if (!line || x === 0) return 0;
  const isSecondHalf = (line._data[(x - 1) * 3] ?? 0) >>> Content.widthShift === 0;
  return Math.max(0, [...combinedAt(line, x - (isSecondHalf ? 2 : 1))].length - 1);
}

/**
 * Cuts the cells before the right edge to MAX_CELL_MARKS. With wraparound off, xterm drops a wide character that does
 * not fit, but adds the combining characters after it to the cell before. Each dropped character begins a new run, so
 * a cell can grow by runs that are each short enough.
 */
function trimAtEdge({ buffers: { active }, cols }: XtermInternals): void {
  const line = active.lines.get(active.ybase + active.y);
  for (const col of [cols - 3, cols - 2]) {
    const text = line ? combinedAt(line, col) : '';
    if (text.length > MAX_CELL_MARKS) line!._combined[col] = [...text].slice(0, MAX_CELL_MARKS + 1).join('');
  }
}

function combinedAt(line: LineInternals, col: number): string {
  return (line._data[col * 3] ?? 0) & Content.combined ? (line._combined[col] ?? '') : '';
}
