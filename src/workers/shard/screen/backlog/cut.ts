import { CR, ESC, LF } from '../../../ascii.js';
import { ColumnCounter, type PrintPlace } from './column-counter.js';

const LETTER_K = 0x4b;
const LETTER_M = 0x6d;
const ZERO = 0x30;
const SEMICOLON = 0x3b;

/** A piece of plain output (see PlainScan). */
export interface Piece {
  bytes: Uint8Array;
  lineFeeds: number;
}

/** A place in the output, after a line, and the bytes that bring a new screen into the state that it has at this place. */
export interface Cut {
  /** Index of the piece, and of the byte in it. */
  index: number;
  at: number;
  /** The bytes that bring the cursor to its column and set the colours. */
  lead: Uint8Array;
  /** Column of the cursor, from 0. */
  column: number;
}

/**
 * Returns the last place after a line feed that has at least `lines` line feeds after it. Undefined when there is none,
 * and where only a screen knows the column of the cursor.
 *
 * @param place - where the output begins
 */
export function cutBefore(pieces: readonly Piece[], lines: number, place: PrintPlace): Cut | undefined {
  const last = lineEndBefore(pieces, lines, endOfLineFeed);
  if (!last) return undefined;
  const column = columnAt(pieces, last, place);
  if (column !== undefined) return { column, lead: leadTo(pieces, last, column), ...last };
  const returned = lineEndBefore(pieces, lines, endOfLine);
  return returned && { column: 0, lead: leadTo(pieces, returned, 0), ...returned };
}

type Place = Pick<Cut, 'index' | 'at'>;

/** @param find - returns the index after the last line end among the first `count` line feeds, 0 for none */
function lineEndBefore(
  pieces: readonly Piece[],
  lines: number,
  find: (bytes: Uint8Array, count: number) => number,
): Place | undefined {
  let behind = 0;
  for (let index = pieces.length - 1; index >= 0; index--) {
    const { bytes, lineFeeds } = pieces[index]!;
    // Number of this piece's line feeds that may come before the place.
    const before = Math.min(lineFeeds, behind + lineFeeds - lines);
    const at = before > 0 ? find(bytes, before) : 0;
    if (at > 0) return { index, at };
    behind += lineFeeds;
  }
  return undefined;
}

/** Returns the column of the cursor at a place; undefined where only a screen knows it. */
function columnAt(pieces: readonly Piece[], { index, at }: Place, place: PrintPlace): number | undefined {
  let first = index;
  let from = pieces[index]!.bytes.lastIndexOf(CR, at - 1);
  while (from === -1 && first > 0) from = pieces[--first]!.bytes.lastIndexOf(CR);
  const counter = new ColumnCounter(place);
  for (let piece = first; piece <= index; piece++) {
    const { bytes } = pieces[piece]!;
    const begin = piece === first ? Math.max(0, from) : 0;
    counter.push(bytes.subarray(begin, piece === index ? at : bytes.length));
  }
  return counter.column;
}

function leadTo(pieces: readonly Piece[], place: Place, column: number): Uint8Array {
  const forward = column > 0 ? `\x1b[${column}C` : '';
  return Buffer.concat([Buffer.from(`\r${forward}`), ...colorsBefore(pieces, place)]);
}

/** Returns the SGR sequences before a place, from the last complete reset on: earlier sequences have no effect. */
function colorsBefore(pieces: readonly Piece[], { index, at }: Place): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (let piece = index; piece >= 0; piece--) {
    const { bytes } = pieces[piece]!;
    let begin = bytes.lastIndexOf(ESC, piece === index ? at - 1 : bytes.length - 1);
    for (; begin !== -1; begin = begin > 0 ? bytes.lastIndexOf(ESC, begin - 1) : -1) {
      const sequence = sequenceAt(pieces, piece, begin);
      if (sequence[sequence.length - 1] !== LETTER_M) continue;
      found.push(sequence);
      if (resetsAll(sequence)) return found.reverse();
    }
  }
  return found.reverse();
}

/** Returns the plain sequence that begins at `at` of a piece and may extend over several pieces. */
function sequenceAt(pieces: readonly Piece[], piece: number, at: number): Uint8Array {
  const { bytes } = pieces[piece]!;
  const end = endOfSequence(bytes, at + 1);
  if (end > 0) return bytes.subarray(at, end);
  const parts = [bytes.subarray(at)];
  for (let next = piece + 1; next < pieces.length; next++) {
    const more = pieces[next]!.bytes;
    const moreEnd = endOfSequence(more, 0);
    parts.push(moreEnd > 0 ? more.subarray(0, moreEnd) : more);
    if (moreEnd > 0) break;
  }
  return Buffer.concat(parts);
}

/** Returns the index after the last CR LF among the first `count` line feeds; 0 when there is none. */
function endOfLine(bytes: Uint8Array, count: number): number {
  let last = 0;
  let at = -1;
  for (let left = count; left > 0; left--) {
    at = bytes.indexOf(LF, at + 1);
    if (bytes[at - 1] === CR) last = at + 1;
  }
  return last;
}

/** Returns the index after the line feed of this number, from 1. */
function endOfLineFeed(bytes: Uint8Array, count: number): number {
  let at = -1;
  for (let left = count; left > 0; left--) at = bytes.indexOf(LF, at + 1);
  return at + 1;
}

/** Returns the index after the letter that ends the plain sequence around `from`; 0 when `bytes` does not contain that letter. */
function endOfSequence(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === LETTER_K || byte === LETTER_M) return at + 1;
  }
  return 0;
}

/** Returns whether the first parameter of an SGR sequence is 0, or empty, which means the same. */
function resetsAll(sequence: Uint8Array): boolean {
  const [first, second] = sequence.subarray(2);
  if (first === SEMICOLON || first === LETTER_M) return true;
  return first === ZERO && (second === SEMICOLON || second === LETTER_M);
}
