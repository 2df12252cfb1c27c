import type { BufferInternals } from '../xterm/internals.js';
import { DEFAULT_ATTRIBUTES, sameAttributes, savedAttributes } from './attributes.js';
import { designateG0 } from './charsets.js';
import type { Output } from './output.js';
import { pastEdgeOfNormal, toColumn } from './placement.js';

/** Returns whether the saved cursor of a buffer differs from that of a fresh buffer. */
export function isCursorSaved({ savedX, savedY, savedCurAttrData, savedCharset }: BufferInternals): boolean {
  const isPlain = sameAttributes(savedAttributes(savedCurAttrData), DEFAULT_ATTRIBUTES);
  return savedX !== 0 || savedY !== 0 || !isPlain || Boolean(savedCharset);
}

/** Saves a cursor in the normal buffer like the saved cursor of `buffer`, but on the screen's row `row`. */
export function saveInNormal(out: Output, buffer: BufferInternals, row: number): void {
  saveCursor(out, buffer, () => {
    if (buffer.savedX < out.core.cols) out.moveTo(row, buffer.savedX);
    else pastEdgeOfNormal(out, row, buffer.savedX);
  });
}

/**
 * Saves a cursor in the alternate buffer like the saved cursor of `buffer`. If that is past the right edge, nothing may
 * have been written to its row yet, because getting there overwrites the last cell.
 */
export function saveInAlternate(out: Output, buffer: BufferInternals): void {
  saveCursor(out, buffer, () => toColumn(out, buffer.savedY, buffer.savedX));
}

function saveCursor(out: Output, buffer: BufferInternals, place: () => void): void {
  // Before placing the cursor, since this may take a DECRC, which moves the cursor back from past the right edge.
  out.setSavable(savedAttributes(buffer.savedCurAttrData));
  const designation = designateG0(buffer.savedCharset);
  out.raw(designation);
  place();
  out.raw('\x1b7');
  if (designation) out.raw('\x1b(B');
  out.usedSavedCursor = false;
}
