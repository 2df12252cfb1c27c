import type { Terminal } from '@xterm/headless';
import { type BufferInternals, Content, internals, type LineInternals, NULL_CONTENT } from './internals.js';
import { MIN_XTERM_COLS } from './terminal.js';

/**
 * Rewraps lines as xterm does, but for its faults: rows that it overwrites by mistake, and what it leaves behind
 * that no escape sequence gives, so that the screen could not be serialized any more.
 */
export function resizeTerminal(term: Terminal, cols: number, rows: number): void {
  const { normal, alt } = internals(term).buffers;
  // Rewrapping a full scrollback writes to indices below 0, which are the last rows unless the ring begins at 0.
  // This makes it.
  normal.lines.maxLength++;
  normal.lines.maxLength--;
  for (let index = 0; index < normal.lines.length; index++) forgetOverwritten(normal.lines.get(index)!);
  term.resize(Math.max(cols, MIN_XTERM_COLS), rows);
  mendRows(normal, rows);
  mendSavedCursor(normal, term.cols, normal.lines.maxLength);
  mendSavedCursor(alt, term.cols, rows);
  // Not shortened while it is not shown, it would get a scrollback of its own.
  if (alt.lines.length === 0) alt.lines.maxLength = rows;
  // Its rows would keep what is past the edge, and show it again in a wider terminal.
  for (let index = 0; index < alt.lines.length; index++) cutRow(alt.lines.get(index)!, term.cols);
  for (let index = 0; index < normal.lines.length; index++) cutRow(normal.lines.get(index)!, term.cols);
  // Widening sets new ones in any case.
  for (const { tabs } of [normal, alt]) {
    for (const stop in tabs) if (Number(stop) >= term.cols) delete tabs[stop];
  }
}

/** Rewrapping can leave the screen's beginning too far down. */
function mendRows(buffer: BufferInternals, rows: number): void {
  const cursor = buffer.ybase + buffer.y;
  while (buffer.lines.length < rows) buffer.lines.push(buffer.getBlankLine());
  if (buffer.ybase + rows <= buffer.lines.length) return;
  buffer.ybase = buffer.lines.length - rows;
  buffer.ydisp = buffer.ybase;
  buffer.y = Math.min(cursor - buffer.ybase, rows - 1);
}

/** It can be left where no cursor can be. */
function mendSavedCursor(buffer: BufferInternals, cols: number, rows: number): void {
  buffer.savedX = Math.min(buffer.savedX, cols - 1);
  buffer.savedY = Math.max(0, Math.min(buffer.savedY, rows - 1));
}

/** Rewrapping would put combined characters that were overwritten long ago into other cells. */
function forgetOverwritten({ _combined: combined, _data: data }: LineInternals): void {
  for (const col in combined) if (!(data[Number(col) * 3]! & Content.combined)) delete combined[col];
}

function cutRow(line: LineInternals, cols: number): void {
  if (line.length > cols) line.resize(cols, undefined);
  const last = cols - 1;
  // Half of a wide character.
  if (line._data[last * 3]! >>> Content.widthShift === 2) line._data[last * 3] = NULL_CONTENT;
}
