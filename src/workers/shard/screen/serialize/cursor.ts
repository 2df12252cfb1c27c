import type { BufferInternals, LineInternals } from '../xterm/internals.js';
import {
  type Attributes,
  cursorAttributes,
  EXTENDED,
  hasExtended,
  hasUnderline,
  isConsistent,
  PROTECTED,
  sameAttributes,
  savedAttributes,
  sgrWithoutUnderline,
  UNDERLINE,
} from './attributes.js';
import { attributesAt, isHalf, kindAt, textAt } from './cells.js';
import { encode, isCharsetInStep, writeCharsets, writeShift } from './charsets.js';
import { WIDE } from './half-wide-cells.js';
import type { Output } from './output.js';
import { pastEdgeOfNormal, placeCursor } from './placement.js';

/**
 * Writes the cursor's place, attributes and character sets, and the modes that would have disturbed earlier output:
 * origin, insert and no wraparound. The margins must already be set, and nothing may be written afterwards.
 */
export function writeCursor(out: Output): void {
  const { coreService } = out.core;
  const { origin, wraparound } = coreService.decPrivateModes;
  const attributes = out.withKnownLink(cursorAttributes(out.core._inputHandler._curAttrData));
  if (origin) out.raw('\x1b[?6h');
  if (isConsistent(attributes) && isCharsetInStep(out.core)) {
    placeCursor(out, false);
    out.setAttributes(attributes);
    writeCharsets(out);
  } else {
    writeCharsets(out);
    writeRestored(out, attributes);
    placeCursor(out, true);
  }
  if (coreService.modes.insertMode) out.raw('\x1b[4h');
  if (!wraparound) out.raw('\x1b[?7l');
  if (out.core._inputHandler._parser.precedingJoinState === 0) {
    // A combining character must not join the character that was printed to get here.
    if (out.endsInText) out.raw('\x1b\\');
  } else if (!writePreceding(out, attributes)) {
    out.losses.add('the character before the cursor, after a resize');
  }
}

/**
 * Writes attributes and a character set that only DECRC can produce, by restoring them from a saved cursor. The saved
 * cursor that the program restored still has them, because saving again would have saved the same state.
 */
function writeRestored(out: Output, wanted: Attributes): void {
  const { normal, alt, active } = out.core.buffers;
  const candidates = active === normal ? [normal, alt] : [alt];
  const buffer = candidates.find((candidate) => canRestore(out, candidate, wanted));
  if (!buffer) {
    out.losses.add('attributes restored before the alternate screen was entered');
    out.setAttributes(inStep(wanted));
    return;
  }
  const saved = savedAttributes(buffer.savedCurAttrData);
  const isExtendedRestored = hasExtended(saved.bg) === hasExtended(wanted.bg);
  const { style, underlineColor } = wanted;
  const link = isExtendedRestored ? wanted.link : 0;
  out.setExtended({ ...wanted, link });
  out.raw(buffer === active ? '\x1b8' : '\x1b[?47h\x1b8\x1b[?47l');
  const restored = { ...saved, style, underlineColor, link };
  out.raw(sgrWithoutUnderline(restored, wanted));
  if ((saved.bg ^ wanted.bg) & PROTECTED) out.raw(`\x1b[${wanted.bg & PROTECTED ? 1 : 0}"q`);
  const fg = (wanted.fg & ~UNDERLINE) | (saved.fg & UNDERLINE);
  const bg = (wanted.bg & ~EXTENDED) | (saved.bg & EXTENDED);
  out.assumeAttributes({ ...restored, fg, bg });
  if (isConsistent(wanted)) out.setAttributes(wanted);
  else if (!isExtendedRestored) out.setLink(wanted.link);
  if (isCharsetInStep(out.core)) out.raw('\x0f');
  if (isCharsetInStep(out.core)) writeShift(out);
}

function canRestore(out: Output, buffer: BufferInternals, wanted: Attributes): boolean {
  const { charset } = out.core._charsetService;
  const isCharsetSaved = (buffer.savedCharset ?? undefined) === (charset ?? undefined);
  if (!isCharsetInStep(out.core) && !isCharsetSaved) return false;
  if (isConsistent(wanted)) return true;
  const saved = buffer.savedCurAttrData;
  if (hasUnderline(saved.fg) !== hasUnderline(wanted.fg)) return false;
  const shouldBeExtended = wanted.style !== 0 || wanted.link !== 0;
  const isExtended = hasExtended(wanted.bg);
  return hasExtended(saved.bg) === isExtended || isExtended === shouldBeExtended;
}

/** Returns the nearest attributes that SGR and OSC 8 alone can produce. */
function inStep(attributes: Attributes): Attributes {
  const { fg, bg, style, link } = attributes;
  const isExtended = style !== 0 || link !== 0;
  return {
    ...attributes,
    fg: style === 0 ? fg & ~UNDERLINE : fg | UNDERLINE,
    bg: isExtended ? bg | EXTENDED : bg & ~EXTENDED,
  };
}

/**
 * Prints the character before the cursor again, as the very last output, because a combining character or REP that
 * follows refers to the character printed last. Returns false when printing it would not reproduce the screen.
 */
function writePreceding(out: Output, attributes: Attributes): boolean {
  const { core } = out;
  const buffer = core.buffers.active;
  const width = (core._inputHandler._parser.precedingJoinState >> 1) & 3;
  const line = buffer.lines.get(buffer.ybase + buffer.y)!;
  const col = buffer.x - width;
  const kind = col >= 0 ? kindAt(core, line, col) : 'other';
  const isThere = kind === (width === 2 ? 'wide' : 'narrow') && col + width <= line.length;
  const row = core.coreService.decPrivateModes.origin ? buffer.y - buffer.scrollTop : buffer.y;
  const text = isThere ? encode(textAt(line, col), core._charsetService.charset) : undefined;
  if (
    text === undefined ||
    !sameAttributes(out.withKnownLink(attributesAt(line, col)), comparable(attributes))
  ) {
    return width === 2 && writeDropped(out, line, row);
  }
  if (isBesideHalf(out, line, col)) return writeOverEdge(out, text);
  out.moveTo(row, col);
  // In insert mode, printing shifts the remainder of the row to the right: delete the old character first.
  if (core.coreService.modes.insertMode && buffer.x < core.cols) out.raw(`\x1b[${width}P`);
  out.print(text);
  return true;
}

/** Returns the attributes as a cell keeps them: without extended attributes that do not apply. */
function comparable(attributes: Attributes): Attributes {
  if (hasExtended(attributes.bg)) return attributes;
  return { ...attributes, style: 0, underlineColor: -1, link: 0 };
}

/**
 * Prints a wide character that is dropped: with wraparound off, xterm drops a wide character that does not fit, yet a
 * combining character that follows refers to it. Returns false when the screen cannot have come about like this.
 */
function writeDropped(out: Output, line: LineInternals, row: number): boolean {
  const { core } = out;
  const buffer = core.buffers.active;
  const last = core.cols - 1;
  if (core.coreService.decPrivateModes.wraparound || buffer.x !== last) return false;
  if (kindAt(core, line, last) === 'secondHalf') return false;
  if (isBesideHalf(out, line, last)) return writeOverEdge(out, WIDE);
  out.moveTo(row, last);
  out.print(WIDE);
  return true;
}

/**
 * Returns whether the cell to the left is half of a wide character. Printing at `col` empties such a cell, unless the
 * cursor comes from past the right edge.
 */
function isBesideHalf(out: Output, line: LineInternals, col: number): boolean {
  return col > 0 && isHalf(kindAt(out.core, line, col - 1));
}

/**
 * Prints on the last column, with the cursor coming from past the right edge. Returns false with wraparound on and on
 * the alternate screen, where that is impossible.
 */
function writeOverEdge(out: Output, text: string): boolean {
  const { buffers, cols, coreService } = out.core;
  if (coreService.decPrivateModes.wraparound || buffers.active !== buffers.normal) return false;
  pastEdgeOfNormal(out, buffers.active.y, cols);
  out.print(text);
  return true;
}
