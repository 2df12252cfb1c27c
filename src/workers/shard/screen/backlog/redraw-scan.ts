import { CR, ESC, LF } from '../../../ascii.js';
import { characterAt, lengthOf } from './utf8.js';

const BRACKET = 0x5b;
const QUESTION = 0x3f;

/**
 * Longest output that is scanned. On a busy machine a dozen redraws of some KB come as one piece; longer output is a flood
 * or a picture.
 */
const MAX_REDRAW_BYTES = 32 * 1024;
/** Most rows that a redraw moves up. */
const MAX_ROWS = 255;

/** Column of the cursor before the output sets it. */
const UNKNOWN = -1;

/** Modes that a redraw may set: a visible cursor, and synchronized output. */
const MODES = new Set(['25', '2026']);

/** The rows that are erased, counted upwards from the row on which the output begins. */
const erased = new Uint8Array(MAX_ROWS + 1);
/** The output without its text. */
const skeleton = new Uint8Array(2 * MAX_REDRAW_BYTES);

/**
 * Reads output that redraws rows above the cursor as programs with a changing display do: it goes up, erases each row
 * that it writes on, as a whole or behind its text, and comes back to the row on which it began.
 *
 * Two such outputs with the same skeleton, one after the other, have the same effect as the second alone: the skeleton
 * is the output without its text, so both erase the same rows and set the same colours and modes, each to a value that
 * depends on no earlier state.
 */
export class RedrawScan {
  #bytes: Uint8Array = skeleton;
  #cols = 0;
  #rows = 0;
  #at = 0;
  #length = 0;
  /** Rows above the row on which the output begins, and the rightmost column, from 0, at which the cursor may be. */
  #up = 0;
  #col = UNKNOWN;
  /** Whether the text of this row begins on its first column. */
  #isFromStart = false;
  /** Whether this row has text and was not erased before. */
  #isOpen = false;

  /**
   * Returns the skeleton of a redraw, which the next call overwrites; undefined for all other output, and for a redraw
   * that might wrap a line, or scroll a screen of this size once its cursor is low enough.
   */
  scan(bytes: Uint8Array, { cols, rows }: { cols: number; rows: number }): Uint8Array | undefined {
    const first = bytes[0];
    if ((first !== ESC && first !== CR) || bytes.length > MAX_REDRAW_BYTES) return undefined;
    this.#bytes = bytes;
    this.#cols = cols;
    this.#rows = Math.min(rows, MAX_ROWS + 1);
    this.#at = 0;
    this.#length = 0;
    this.#up = 0;
    this.#col = UNKNOWN;
    this.#isFromStart = false;
    this.#isOpen = false;
    erased.fill(0);
    while (this.#at < bytes.length) if (!this.#next()) return undefined;
    return this.#up === 0 && !this.#isOpen ? skeleton.subarray(0, this.#length) : undefined;
  }

  /** Reads some text, a control character or a sequence. Returns false if a redraw cannot have it at this place. */
  #next(): boolean {
    const byte = this.#bytes[this.#at]!;
    if (byte === ESC) return this.#sequence();
    if (byte >= 0x20) return this.#text();
    if (byte !== CR && byte !== LF) return false;
    this.#keep(byte);
    this.#at++;
    if (byte === LF) return this.#move(-1);
    this.#toStart();
    return true;
  }

  /** Reads text up to the next control character, all at once, since most of a redraw is text. */
  #text(): boolean {
    if (this.#col === UNKNOWN) return false;
    if (erased[this.#up] === 0) {
      if (!this.#isFromStart) return false;
      this.#isOpen = true;
    }
    const bytes = this.#bytes;
    let at = this.#at;
    let col = this.#col;
    while (at < bytes.length && bytes[at]! >= 0x20) {
      const byte = bytes[at]!;
      if (byte < 0x7f) {
        at++;
        col++;
        continue;
      }
      const point = characterAt(bytes, at);
      if (point === undefined) return false;
      at += lengthOf(byte);
      col += isNarrow(point) ? 1 : 2;
    }
    this.#at = at;
    this.#col = col;
    return col <= this.#cols;
  }

  #sequence(): boolean {
    const bytes = this.#bytes;
    const begin = this.#at;
    if (begin + 2 >= bytes.length || bytes[begin + 1] !== BRACKET) return false;
    const isPrivate = bytes[begin + 2] === QUESTION;
    const from = begin + (isPrivate ? 3 : 2);
    let end = from;
    // Digits, colons and semicolons.
    while (end < bytes.length && bytes[end]! >= 0x30 && bytes[end]! <= 0x3b) end++;
    if (end === bytes.length) return false;
    const final = bytes[end]!;
    let length = this.#length;
    for (let at = begin; at <= end; at++) skeleton[length++] = bytes[at]!;
    this.#length = length;
    this.#at = end + 1;
    if (final === 0x6d && !isPrivate) return true; // m
    const isMode = final === 0x68 || final === 0x6c; // h, l
    if (isPrivate) return isMode && MODES.has(textOf(bytes, from, end));
    const number = end === from ? 0 : numberOf(bytes, from, end);
    if (number === undefined) return false;
    switch (final) {
      case 0x41: // A
        return this.#move(Math.max(1, number));
      case 0x46: // F
        if (!this.#move(Math.max(1, number))) return false;
        this.#toStart();
        return true;
      case 0x47: // G
        if (number > 1) return false;
        this.#toStart();
        return true;
      case 0x4b: // K
        return this.#erase(number);
      default:
        return false;
    }
  }

  /** Moves up by this many rows, or down if negative. */
  #move(rows: number): boolean {
    if (this.#isOpen) return false;
    this.#isFromStart = this.#col === 0;
    this.#up += rows;
    return this.#up >= 0 && this.#up < this.#rows;
  }

  #toStart(): void {
    this.#col = 0;
    this.#isFromStart = true;
  }

  #erase(what: number): boolean {
    if (what > 2 || what === 1) return false;
    const isWhole = what === 2 || this.#col === 0;
    // The cells left of the cursor must come from this redraw, or be erased.
    if (!isWhole && erased[this.#up] === 0 && !this.#isOpen) return false;
    // Only erasing from the first column keeps the row from continuing the row above.
    this.#keep(isWhole ? 1 : 2);
    erased[this.#up] = 1;
    this.#isOpen = false;
    return true;
  }

  #keep(byte: number): void {
    skeleton[this.#length++] = byte;
  }
}

/** Returns whether a character surely takes no more than one column: Latin, Greek, arrows, frames, blocks, signs, braille. */
function isNarrow(point: number): boolean {
  return point < 0x1100 || (point >= 0x2000 && point < 0x2e80 && point !== 0x2329 && point !== 0x232a);
}

function textOf(bytes: Uint8Array, from: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(from, end));
}

/** Returns the number that digits spell; undefined for anything else, and for numbers that no redraw has. */
function numberOf(bytes: Uint8Array, from: number, end: number): number | undefined {
  let number = 0;
  for (let at = from; at < end; at++) {
    const byte = bytes[at]!;
    if (byte > 0x39 || number > MAX_ROWS) return undefined;
    number = number * 10 + byte - 0x30;
  }
  return number;
}
