import { isConsistent, sameAttributes } from './attributes.js';
import { attributesAt, eraseColorAt, isHalf, kindAt, textAt } from './cells.js';
import type { BufferInternals, LineInternals } from './internals.js';
import type { Output } from './output.js';

/**
 * Takes the cursor of the normal buffer to a place where nothing but printing leads, or outside of the margins,
 * without touching a cell: the two buffers hand it over to each other. `col` may be past the right edge.
 */
export function pastEdgeOfNormal(out: Output, row: number, col: number): void {
  out.raw('\x1b[?47h');
  toColumn(out, row, col);
  out.raw('\x1b[?47l');
}

/** Takes the cursor there on a screen whose cells do not matter, and whose margins are the screen's. */
export function toColumn(out: Output, row: number, col: number): void {
  const { cols } = out.core;
  out.moveTo(row, Math.min(col, cols - 1));
  if (col < cols) return;
  out.print(' ');
  // A lone combining character goes one further. The control keeps it from being combined with the blank.
  if (col > cols) out.raw('\x1b\\\u0301');
}

/**
 * Takes the cursor of the active buffer to where it is. `keep` says that the attributes must not be changed on
 * the way, and that a character set may be in force.
 */
export function placeCursor(out: Output, keep: boolean): void {
  const { buffers, cols, coreService } = out.core;
  const { active, normal } = buffers;
  const hasOrigin = coreService.decPrivateModes.origin;
  const isOutside = hasOrigin && (active.y < active.scrollTop || active.y > active.scrollBottom);
  const row = hasOrigin ? active.y - active.scrollTop : active.y;
  if (active.x < cols && !isOutside) {
    out.moveTo(row, active.x);
    return;
  }
  if (!isOutside && active.x === cols && reachEdge(out, active, row, keep)) return;
  if (active === normal) {
    pastEdgeOfNormal(out, active.y, active.x);
    return;
  }
  out.losses.add('a cursor past the right edge of the alternate screen');
  out.moveTo(row, cols - 1);
}

/** Gets past the right edge by printing the last character of the row again, or by erasing an empty row. */
function reachEdge(out: Output, buffer: BufferInternals, row: number, keep: boolean): boolean {
  const line = buffer.lines.get(buffer.ybase + buffer.y)!;
  const last = line.length - 1;
  const isWide = kindAt(out.core, line, last) === 'secondHalf' && kindAt(out.core, line, last - 1) === 'wide';
  const col = isWide ? last - 1 : last;
  if (keep) return false;
  if (isWide || kindAt(out.core, line, last) === 'narrow') {
    const attributes = attributesAt(line, col);
    if (!isConsistent(attributes) && !sameAttributes(attributes, out.attributes)) return false;
    // The first half of a wide character would be emptied by what is printed right of it.
    if (col > 0 && isHalf(kindAt(out.core, line, col - 1))) return false;
    out.moveTo(row, col);
    out.setAttributes(attributes);
    out.print(textAt(line, col));
    return true;
  }
  if (buffer === out.core.buffers.normal || !isErasedAlike(out, line)) return false;
  out.moveTo(row, last);
  out.print(' ');
  out.setEraseColor(eraseColorAt(line, last));
  out.raw('\x1b[1K');
  return true;
}

function isErasedAlike(out: Output, line: LineInternals): boolean {
  const color = eraseColorAt(line, 0);
  for (let col = 0; col < line.length; col++) {
    if (kindAt(out.core, line, col) !== 'erased' || eraseColorAt(line, col) !== color) return false;
  }
  return true;
}
