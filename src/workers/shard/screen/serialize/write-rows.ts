import { type BufferInternals, Content, type LineInternals } from '../xterm/internals.js';
import { eraseColor, isConsistent, sameAttributes } from './attributes.js';
import { attributesAt, isEmptyAt, isHalf, kindAt, writtenLength } from './cells.js';
import { preparation } from './half-wide-cells.js';
import type { Output } from './output.js';
import { pastEdgeOfNormal } from './placement.js';
import { writeRow } from './rows.js';

/** How the cursor gets from one row to the next. */
type Step =
  /** The next row begins a new line. */
  | 'newline'
  /** The row is full, and the next row's first character wraps. */
  | 'full'
  /** The next row's first character is wide and did not fit into the last cell, which stayed empty. */
  | 'wide'
  /** The next row is wrapped, but printing its first cell does not get the cursor there. */
  | 'forced';

export interface Flow {
  buffer: BufferInternals;
  /** Index in the buffer's lines of the first row to write; all rows after it are written, too. */
  first: number;
  /** `act` is called with the cursor at the left edge of the row `index`, before that row is written. */
  at?: { index: number; act: (screenRow: number) => void };
}

/**
 * Writes the rows of a buffer into a fresh buffer of the same kind, from the top, letting them scroll off. The cursor
 * must be at home and ends anywhere.
 */
export function* writeRows(out: Output, flow: Flow): Generator<void> {
  const { buffer, first, at } = flow;
  const { rows } = out.core;
  const count = buffer.ybase + rows - first;
  const steps = yield* planSteps(out, flow, count);
  const end = count > rows ? count : lastWritten(buffer, first, count) + 1;
  let row = 0;
  let base = 0;
  out.setEraseColor(0);
  if (buffer.lines.get(first)!.isWrapped) wrapFirstRow(out, rows);
  for (let at0 = 0; at0 < end; at0++) {
    const line = buffer.lines.get(first + at0)!;
    if (at?.index === first + at0) at.act(row);
    const x = writeRow(out, line, base, writtenColumns(line, steps[at0]!));
    if (out.pace.isOver(line.length)) yield;
    if (at0 + 1 === end) break;
    const isScrolling = row === rows - 1;
    base = step(out, flow, { how: steps[at0]!, x, row, line, next: buffer.lines.get(first + at0 + 1)! });
    if (!isScrolling) row++;
    else if (row !== rows - 1) row = rows - 1;
  }
}

/** Returns how many columns to write. Wrapping itself empties a last cell into which a wide character did not fit. */
function writtenColumns(line: LineInternals, how: Step): number {
  return how === 'wide' ? line.length - 1 : line.length;
}

function* planSteps(out: Output, { buffer, first, at }: Flow, count: number): Generator<void, Step[]> {
  const steps: Step[] = new Array(count).fill('newline');
  for (let index = count - 2; index >= 0; index--) {
    const next = buffer.lines.get(first + index + 1)!;
    if (!next.isWrapped) continue;
    if (out.pace.isOver(next.length)) yield;
    const mustStop = at?.index === first + index + 1;
    const length = writtenColumns(next, steps[index + 1]!);
    const isReached = !mustStop && !preparation(out, next, length) && startsWithText(out, next);
    steps[index] = isReached ? reach(out, buffer.lines.get(first + index)!, next) : 'forced';
  }
  return steps;
}

/** Returns how the cursor gets from `line` to the wrapped row `next`, which begins with a printable character. */
function reach(out: Output, line: LineInternals, next: LineInternals): Step {
  const last = line.length - 1;
  const content = line._data[last * 3]!;
  if (!isEmptyAt(line, last)) return 'full';
  if (content === 0) return line._data[(last - 1) * 3]! >>> Content.widthShift === 2 ? 'full' : 'forced';
  const isLeftEmpty =
    kindAt(out.core, next, 0) === 'wide' && sameAttributes(attributesAt(line, last), attributesAt(next, 0));
  const beside = kindAt(out.core, line, last - 1);
  return isLeftEmpty && beside !== 'broken' && !isHalf(beside) ? 'wide' : 'forced';
}

function startsWithText(out: Output, line: LineInternals): boolean {
  if (!['narrow', 'wide'].includes(kindAt(out.core, line, 0))) return false;
  return isConsistent(attributesAt(line, 0));
}

function lastWritten(buffer: BufferInternals, first: number, count: number): number {
  let at = count - 1;
  while (at > 0 && !buffer.lines.get(first + at)!.isWrapped && isBlank(buffer.lines.get(first + at)!)) at--;
  return at;
}

function isBlank(line: LineInternals): boolean {
  return writtenLength(line, 0) === 0;
}

interface StepFrom {
  how: Step;
  /** Column of the cursor, and its row on the screen. */
  x: number;
  row: number;
  line: LineInternals;
  next: LineInternals;
}

/** Takes the cursor to the next row and returns the background colour that this row is filled with. */
function step(out: Output, flow: Flow, { how, x, row, line, next }: StepFrom): number {
  const isScrolling = row === out.core.rows - 1;
  if (how === 'newline') {
    if (isScrolling) out.setEraseColor(0);
    out.raw('\r\n');
    return 0;
  }
  if (how === 'full' && x >= line.length) return isScrolling ? firstColor(next) : 0;
  if (how === 'wide') {
    out.raw(`\x1b[${line.length}G`);
    return isScrolling ? firstColor(next) : 0;
  }
  const isNormal = flow.buffer === out.core.buffers.normal;
  if (x < line.length && isNormal) pastEdgeOfNormal(out, row, out.core.cols);
  out.setEraseColor(0);
  if (x < line.length && !isNormal) out.raw(`\x1b[${line.length}G `);
  out.print(' ');
  out.raw('\b\x1b[X');
  if (x < line.length && !isNormal) mendEdge(out, line, row);
  return 0;
}

/** Erases the last cell of `line`, which was overwritten to get past it. Records a loss if that does not restore it. */
function mendEdge(out: Output, line: LineInternals, row: number): void {
  const last = line.length - 1;
  const isErased = kindAt(out.core, line, last) === 'erased';
  if (!isErased || isHalf(kindAt(out.core, line, last - 1))) out.losses.add('the last cell of a wrapped row');
  out.moveTo(row, last);
  out.setEraseColor(eraseColor(line._data[last * 3 + 2]!));
  out.raw('\x1b[X');
  out.moveTo(row + 1, 0);
}

function firstColor(line: LineInternals): number {
  return eraseColor(line._data[2]!);
}

/**
 * Makes the first row a wrapped row although the row before it is gone: wraps text over two rows, then deletes the
 * upper row. On a screen of one row, the upper row scrolls off and the scrollback is cleared.
 */
function wrapFirstRow(out: Output, rows: number): void {
  out.moveTo(0, out.core.cols - 1);
  out.print('  ');
  out.raw(rows > 1 ? '\x1b[H\x1b[M\x1b[X' : '\x1b[3J\r\x1b[X');
}
