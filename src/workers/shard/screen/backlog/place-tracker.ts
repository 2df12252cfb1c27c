import { BEL, BS, CR, DEL, ESC, LF, SPACE, TAB } from '../../../ascii.js';
import type { Cursor } from '../../read-cursor.js';
import { columnAfter, columnAfterTab } from '../xterm/columns.js';
import type { KeyModes, Place, TrackedPlace } from './place.js';
import { type Continuation, characterAt, continuationOf, lengthOf } from './utf8.js';

const [QUESTION, BRACKET, BACKSLASH, CLOSING_BRACKET, COLON, SEMICOLON] = Buffer.from('?[\\]:;');
const ZERO = 0x30;
const NINE = 0x39;

/** Larger counts and numbers all mean the same: as far as possible, or nothing. */
const MAX_NUMBER = 100_000;

/** Final bytes of sequences that leave the cursor where it is: SGR, EL and ED. */
const STAY = new Set(Buffer.from('mKJ'));
/** Final bytes of sequences that shift cells beside the cursor, which first comes back from past the last column. */
const SHIFT = new Set(Buffer.from('P@'));
const [UP, DOWN, FORWARD, BACK] = Buffer.from('ABCD');
const [SET, RESET] = Buffer.from('hl');
/** After ESC: application and numeric keypad. */
const KEYPADS = new Set(Buffer.from('=>'));

const APPLICATION_CURSOR = 1;
const CURSOR_SHOWN = 25;
const BRACKETED_PASTE = 2004;

/** Titles, the folder, and marks of shells, which change neither the screen's rows nor its cursor. */
const OSC_NUMBERS = new Set([0, 1, 2, 7, 133, 633]);

type State = 'ground' | 'escape' | 'csiBegin' | 'csi' | 'oscNumber' | 'osc' | 'oscEscape';

/**
 * Follows the cursor and the modes of keys without a screen, through the output of a shell at work: text, the moves of
 * a line editor, colours, marks, titles and bracketed paste. Begins on a screen that `isForwardOnly`. Output may be cut
 * anywhere.
 */
export class PlaceTracker implements Place {
  readonly #origin: TrackedPlace;
  #row: number;
  /** From 0; the number of columns if the cursor is about to wrap. */
  #column: number;
  #modes: KeyModes;
  #state: State = 'ground';
  /** An unfinished character, which may be part of an OSC sequence. */
  #character: (Continuation & { codePoint: number }) | undefined;
  /** The first number of the unfinished sequence, whether more follows that number, and whether the sequence is private. */
  #number = 0;
  #hasMore = false;
  #isPrivate = false;

  constructor(origin: TrackedPlace) {
    this.#origin = origin;
    this.#row = origin.row;
    this.#column = origin.column;
    this.#modes = origin.modes;
  }

  /** Whether the output ends within a sequence or a character. */
  get isOpen(): boolean {
    return this.#state !== 'ground' || this.#character !== undefined;
  }

  get cursor(): Cursor {
    return { row: this.#row, col: Math.min(this.#column, this.#origin.shownCols - 1), altScreen: false };
  }

  get modes(): KeyModes {
    return this.#modes;
  }

  /**
   * Follows the next output. Returns its length, or the index of the first byte that cannot be followed; then do not
   * use the tracker again.
   */
  push(bytes: Uint8Array): number {
    const { length } = bytes;
    for (let at = 0; at < length; ) {
      const end = this.#state === 'ground' && !this.#character ? this.#takeText(bytes, at) : at;
      if (end > at) at = end;
      else if (this.#take(bytes[at]!)) at++;
      else return at;
    }
    return length;
  }

  /** Takes text up to the next control or cut character, or a character of no width; returns the index after the text. */
  #takeText(bytes: Uint8Array, from: number): number {
    let at = from;
    for (;;) {
      const narrow = at;
      while (at < bytes.length && bytes[at]! >= SPACE && bytes[at]! < DEL) at++;
      if (at > narrow) this.#printed(at - narrow);
      const codePoint = at < bytes.length ? characterAt(bytes, at) : undefined;
      if (codePoint === undefined || !this.#printCharacter(codePoint)) return at;
      at += lengthOf(bytes[at]!);
    }
  }

  /** Takes a byte; returns false if it cannot be followed. */
  #take(byte: number): boolean {
    if (this.#character || byte >= 0x80) return this.#takePart(byte);
    switch (this.#state) {
      case 'ground':
        return this.#takeControl(byte);
      case 'escape':
        return this.#takeEscape(byte);
      case 'csiBegin':
        return this.#takeCsiBegin(byte);
      case 'csi':
        return this.#takeParameter(byte) || this.#takeFinal(byte);
      case 'oscNumber':
        return this.#takeOscNumber(byte);
      case 'osc':
        return this.#takeOsc(byte);
      case 'oscEscape':
        return byte === BACKSLASH && this.#end();
    }
  }

  #takeControl(byte: number): boolean {
    const { cols, rows, hasStandardTabs } = this.#origin;
    if (byte === CR) this.#column = 0;
    else if (byte === LF) this.#moveTo(Math.min(rows - 1, this.#row + 1), this.#column);
    else if (byte === BS) this.#move(0, -1);
    else if (byte === TAB && hasStandardTabs) this.#column = columnAfterTab(this.#column, cols);
    else if (byte === ESC) this.#state = 'escape';
    else return byte === BEL;
    return true;
  }

  #takeEscape(byte: number): boolean {
    this.#number = 0;
    this.#hasMore = false;
    if (byte === BRACKET) this.#state = 'csiBegin';
    else if (byte === CLOSING_BRACKET) this.#state = 'oscNumber';
    else return KEYPADS.has(byte) && this.#end();
    return true;
  }

  #takeCsiBegin(byte: number): boolean {
    this.#state = 'csi';
    this.#isPrivate = byte === QUESTION;
    return this.#isPrivate || this.#takeParameter(byte) || this.#takeFinal(byte);
  }

  #takeParameter(byte: number): boolean {
    if (byte !== SEMICOLON && byte !== COLON) return this.#takeDigit(byte);
    this.#hasMore = true;
    return true;
  }

  #takeDigit(byte: number): boolean {
    if (byte < ZERO || byte > NINE) return false;
    if (!this.#hasMore) this.#number = Math.min(MAX_NUMBER, this.#number * 10 + byte - ZERO);
    return true;
  }

  #takeFinal(byte: number): boolean {
    if (this.#isPrivate) return !this.#hasMore && this.#takeMode(byte) && this.#end();
    if (STAY.has(byte)) return this.#end();
    if (this.#hasMore) return false;
    const count = this.#number || 1;
    if (byte === UP) this.#move(-count, 0);
    else if (byte === DOWN) this.#move(count, 0);
    else if (byte === FORWARD) this.#move(0, count);
    else if (byte === BACK) this.#move(0, -count);
    else if (SHIFT.has(byte)) this.#move(0, 0);
    else return false;
    return this.#end();
  }

  #takeMode(byte: number): boolean {
    if (byte !== SET && byte !== RESET) return false;
    const isSet = byte === SET;
    if (this.#number === BRACKETED_PASTE) this.#modes = { ...this.#modes, bracketedPaste: isSet };
    else if (this.#number === APPLICATION_CURSOR) this.#modes = { ...this.#modes, applicationCursor: isSet };
    else return this.#number === CURSOR_SHOWN;
    return true;
  }

  #takeOscNumber(byte: number): boolean {
    if (byte !== SEMICOLON) {
      this.#hasMore = false;
      return this.#takeDigit(byte);
    }
    this.#state = 'osc';
    return OSC_NUMBERS.has(this.#number);
  }

  #takeOsc(byte: number): boolean {
    if (byte === BEL) return this.#end();
    if (byte === ESC) this.#state = 'oscEscape';
    return byte === ESC || (byte >= SPACE && byte < DEL);
  }

  #end(): true {
    this.#state = 'ground';
    return true;
  }

  /** Takes a byte of a character of several bytes that is cut, or part of an OSC sequence. */
  #takePart(byte: number): boolean {
    const isText = this.#state === 'ground';
    const character = this.#character;
    if (!character) {
      if (!(isText || this.#state === 'osc') || byte < 0xc2 || byte > 0xf4) return false;
      const { left, min, max } = continuationOf(byte);
      this.#character = { left, min, max, codePoint: byte & (0x3f >> left) };
      return true;
    }
    if (byte < character.min || byte > character.max) return false;
    const left = character.left - 1;
    const codePoint = (character.codePoint << 6) | (byte & 0x3f);
    this.#character = left > 0 ? { left, min: 0x80, max: 0xbf, codePoint } : undefined;
    return left > 0 || !isText || this.#printCharacter(codePoint);
  }

  #printCharacter(codePoint: number): boolean {
    const { cols, rows, widthOf } = this.#origin;
    const width = widthOf(codePoint);
    if (width === 0) return false;
    if (this.#column + width > cols) {
      this.#row = Math.min(rows - 1, this.#row + 1);
      this.#column = width;
    } else this.#column += width;
    return true;
  }

  /** Takes characters of one column each. */
  #printed(count: number): void {
    const { cols, rows } = this.#origin;
    const wraps = Math.floor((this.#column + count - 1) / cols);
    this.#row = Math.min(rows - 1, this.#row + wraps);
    this.#column = columnAfter(this.#column, count, cols);
  }

  /** Moves the cursor, first back from behind the last column. */
  #move(rows: number, columns: number): void {
    const { cols, rows: all } = this.#origin;
    const column = Math.min(this.#column, cols - 1) + columns;
    this.#moveTo(Math.max(0, Math.min(all - 1, this.#row + rows)), Math.max(0, column));
  }

  #moveTo(row: number, column: number): void {
    this.#row = row;
    this.#column = Math.min(column, this.#origin.cols - 1);
  }
}
