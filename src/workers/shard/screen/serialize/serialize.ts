import { drain, type Steps } from '../../steps.js';
import type { BufferInternals, XtermInternals } from '../xterm/internals.js';
import { writeCursor } from './cursor.js';
import { writeMargins, writeModes, writeTabStops, writeTitles } from './modes.js';
import { Output } from './output.js';
import { pastEdgeOfNormal } from './placement.js';
import { isCursorSaved, saveInAlternate, saveInNormal } from './saved-cursor.js';
import { writeRows } from './write-rows.js';

const LOST_SAVED_CURSOR = 'a cursor saved in the scrollback';

/**
 * Returns escape sequences that bring a fresh terminal of the same size to the state of this terminal, except for an
 * unfinished sequence in the parser; and descriptions of state that they do not reproduce.
 *
 * With `scrollback`, the fresh terminal must have as much scrollback. Without, the lines above the screen are left out.
 * Throws OutputTooLong past `mostUnits` UTF-16 units.
 *
 * Most state that @xterm/addon-serialize leaves out belongs to single cells and rows (links, underlines, erased and
 * broken cells, wraps), so nothing written after the addon's output could correct it.
 */
export function serializeScreen(
  core: XtermInternals,
  scrollback: boolean,
  mostUnits?: number,
): { text: string; losses: string[] } {
  const { parts, losses } = drain(serializeSteps(core, scrollback, mostUnits));
  return { text: parts.join(''), losses };
}

/** Like serializeScreen, but in parts and in steps of a few milliseconds, between which the screen must not change. */
export function* serializeSteps(
  core: XtermInternals,
  scrollback: boolean,
  mostUnits?: number,
): Steps<{ parts: string[]; losses: string[] }> {
  const out = new Output(core, mostUnits);
  const { normal, alt, active } = core.buffers;
  if (normal.lines.length !== normal.ybase + core.rows) out.losses.add('rows that are missing');
  yield* writeNormal(out, normal, scrollback);
  if (active === alt) {
    writeMargins(out, normal);
    // The normal buffer's cursor matters, too: a resize moves lines according to its place.
    if (normal.x < core.cols) out.moveTo(normal.y, normal.x);
    else pastEdgeOfNormal(out, normal.y, normal.x);
    yield* writeAlternate(out, alt);
  } else writeSavedInAlternate(out, alt);
  writeModes(out);
  writeTitles(out);
  writeMargins(out, active);
  writeCursor(out);
  return { parts: out.parts(), losses: [...out.losses] };
}

/**
 * Like {@link serializeScreen} with scrollback, but without the text on the rows, and only for a normal screen without
 * margins. Saved cursors are right again once as many lines have scrolled as there is scrollback.
 */
export function serializeWithoutRows(core: XtermInternals): { text: string; losses: string[] } {
  const out = new Output(core);
  const { normal, alt } = core.buffers;
  writeTabStops(out, normal);
  if (isCursorSaved(normal)) {
    const last = core.rows - 1;
    if (normal.savedY > last) {
      out.moveTo(last, 0);
      out.raw('\n'.repeat(normal.savedY - last));
    }
    saveInNormal(out, normal, Math.min(normal.savedY, last));
  }
  writeSavedInAlternate(out, alt);
  writeModes(out);
  writeTitles(out);
  writeCursor(out);
  return { text: out.parts().join(''), losses: [...out.losses] };
}

/** Writes the cursor that was saved on the alternate screen before the program left that screen. */
function writeSavedInAlternate(out: Output, alt: BufferInternals): void {
  if (!isCursorSaved(alt)) return;
  out.raw('\x1b[?47h');
  saveInAlternate(out, alt);
  out.raw('\x1b[?47l');
}

function* writeNormal(out: Output, normal: BufferInternals, scrollback: boolean): Generator<void> {
  const { rows } = out.core;
  const first = scrollback ? 0 : normal.ybase;
  const savedRow = normal.savedY - normal.ybase;
  const isSaved = isCursorSaved(normal);
  const isAbove = scrollback && isSaved && savedRow < 0;
  const isBelow = scrollback && isSaved && savedRow >= rows;
  if (isBelow) saveBelow(out, normal);
  const act = (row: number) => {
    saveInNormal(out, normal, row);
    out.moveTo(row, 0);
  };
  yield* writeRows(out, { buffer: normal, first, ...(isAbove && { at: { index: normal.savedY, act } }) });
  writeTabStops(out, normal);
  const isOnScreen = isSaved && !isAbove && !isBelow;
  if (!isOnScreen && !out.usedSavedCursor) return;
  if (scrollback && !isOnScreen && normal.savedY !== normal.ybase) out.losses.add(LOST_SAVED_CURSOR);
  saveInNormal(out, normal, Math.min(Math.max(savedRow, 0), rows - 1));
}

/** Writes a cursor saved before the scrollback was cleared: scrolls as far as its line, saves it, and clears. */
function saveBelow(out: Output, normal: BufferInternals): void {
  const { rows } = out.core;
  out.moveTo(rows - 1, 0);
  out.raw('\n'.repeat(normal.savedY - (rows - 1)));
  saveInNormal(out, normal, rows - 1);
  out.raw('\x1b[3J\x1b[H');
}

/** Enters the alternate screen and writes its contents. */
function* writeAlternate(out: Output, alt: BufferInternals): Generator<void> {
  out.setEraseColor(0);
  out.raw('\x1b[?47h');
  const isSaved = isCursorSaved(alt);
  // Only printing leads past the right edge of a row, so save this cursor before the row is written.
  const isPastEdge = isSaved && alt.savedX >= out.core.cols;
  out.usedSavedCursor = false;
  if (isPastEdge) {
    saveInAlternate(out, alt);
    out.setEraseColor(0);
    out.raw('\x1b[2K');
  }
  out.raw('\x1b[H');
  yield* writeRows(out, { buffer: alt, first: 0 });
  writeTabStops(out, alt);
  if (isPastEdge && out.usedSavedCursor) out.losses.add('a cursor saved past the right edge');
  else if (isSaved !== isPastEdge || out.usedSavedCursor) saveInAlternate(out, alt);
}
