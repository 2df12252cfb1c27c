import type { BufferInternals, LineInternals } from '../xterm/internals.js';
import { isConsistent, sameAttributes } from './attributes.js';
import { attributesAt, eraseColorAt, isHalf, kindAt, textAt } from './cells.js';
import type { Output } from './output.js';

/**
 * Takes the cursor of the normal buffer outside of the margins, or past the right edge, where otherwise only printing
 * leads, without touching a cell of that buffer: switching to the alternate buffer and back carries the cursor along.
 * `col` may be past the right edge.
 */
export function pastEdgeOfNormal(out: Output, row: number, col: number): void {
  out.raw('\x1b[?47h');
  toColumn(out, row, col);
  out.raw('\x1b[?47l');
}

/** Takes the cursor to `row` and `col` on a screen whose cells do not matter and whose margins are the whole screen. */
export function toColumn(out: Output, row: number, col: number): void {
  const { cols } = out.core;
  out.moveTo(row, Math.min(col, cols - 1));
  if (col < cols) return;
  out.print(' ');
  // A lone combining character takes the cursor one column further. The control keeps it from joining the blank.
  if (col > cols) out.raw('\x1b\\\u0301');
}

/**
 * Takes the cursor of the active buffer to its place. With `keep`, the attributes must not change on the way, and a
 * character set may be in force.
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

/**
 * Takes the cursor past the right edge by printing the last character of the row again, or by erasing an empty row.
 * Returns false when neither is possible.
 */
function reachEdge(out: Output, buffer: BufferInternals, row: number, keep: boolean): boolean {
  const line = buffer.lines.get(buffer.ybase + buffer.y)!;
  const last = line.length - 1;
  const isWide = kindAt(out.core, line, last) === 'secondHalf' && kindAt(out.core, line, last - 1) === 'wide';
  const col = isWide ? last - 1 : last;
  if (keep) return false;
  if (isWide || kindAt(out.core, line, last) === 'narrow') {
    const attributes = attributesAt(line, col);
    if (!isConsistent(attributes) && !sameAttributes(attributes, out.attributes)) return false;
    // Printing would empty the first half of a wide character to the left.
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
