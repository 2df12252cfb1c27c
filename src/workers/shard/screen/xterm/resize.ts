import type { Terminal } from '@xterm/headless';
import { type BufferInternals, Content, internals, type LineInternals, NULL_CONTENT } from './internals.js';
import { MIN_XTERM_COLS } from './terminal.js';

/**
 * Resizes a terminal and rewraps its lines as xterm does, but without xterm's faults: rows that xterm overwrites by
 * mistake, and state that no escape sequence can produce, with which the screen could not be serialized.
 */
export function resizeTerminal(term: Terminal, cols: number, rows: number): void {
  const { normal, alt } = internals(term).buffers;
  // Rewrapping a full scrollback writes to indices below 0, which are the last rows unless the ring begins at 0.
  // Changing `maxLength` copies the ring so that it begins at 0.
  normal.lines.maxLength++;
  normal.lines.maxLength--;
  for (let index = 0; index < normal.lines.length; index++) forgetOverwritten(normal.lines.get(index)!);
  term.resize(Math.max(cols, MIN_XTERM_COLS), rows);
  mendRows(normal, rows);
  mendSavedCursor(normal, term.cols, normal.lines.maxLength);
  mendSavedCursor(alt, term.cols, rows);
  // xterm does not shorten the alternate buffer while it does not show, which would give it a scrollback.
  if (alt.lines.length === 0) alt.lines.maxLength = rows;
  // Rows of the alternate buffer keep cells past the edge, and would show them again in a wider terminal.
  for (let index = 0; index < alt.lines.length; index++) cutRow(alt.lines.get(index)!, term.cols);
  for (let index = 0; index < normal.lines.length; index++) cutRow(normal.lines.get(index)!, term.cols);
  // Remove tab stops past the edge; widening sets new stops in any case.
  for (const { tabs } of [normal, alt]) {
    for (const stop in tabs) if (Number(stop) >= term.cols) delete tabs[stop];
  }
}

/** Moves the screen's first row up if rewrapping left it too far down, and adds missing rows. */
function mendRows(buffer: BufferInternals, rows: number): void {
  const cursor = buffer.ybase + buffer.y;
  while (buffer.lines.length < rows) buffer.lines.push(buffer.getBlankLine());
  if (buffer.ybase + rows <= buffer.lines.length) return;
  buffer.ybase = buffer.lines.length - rows;
  buffer.ydisp = buffer.ybase;
  buffer.y = Math.min(cursor - buffer.ybase, rows - 1);
}

/** Moves the saved cursor back to a place where a cursor can be: a resize can leave it elsewhere. */
function mendSavedCursor(buffer: BufferInternals, cols: number, rows: number): void {
  buffer.savedX = Math.min(buffer.savedX, cols - 1);
  buffer.savedY = Math.max(0, Math.min(buffer.savedY, rows - 1));
}

/** Deletes combined characters that were overwritten, because rewrapping would put them into other cells. */
function forgetOverwritten({ _combined: combined, _data: data }: LineInternals): void {
  for (const col in combined) if (!(data[Number(col) * 3]! & Content.combined)) delete combined[col];
}

function cutRow(line: LineInternals, cols: number): void {
  if (line.length > cols) line.resize(cols, undefined);
  const last = cols - 1;
  // Erases the first half of a wide character, whose second half was cut off.
  if (line._data[last * 3]! >>> Content.widthShift === 2) line._data[last * 3] = NULL_CONTENT;
}
