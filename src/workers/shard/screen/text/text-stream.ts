import { BS, C1_LEAD, CR, DEL, ESC, FF, LF, SHIFT_OUT, TAB, VT } from '../../../ascii.js';
import { unfinishedCharacter } from '../../unfinished-character.js';
import { EscapeReader } from '../xterm/escape-reader.js';

const BRACKET = 0x5b;
const LETTER_M = 0x6d;

/** Marks where the cursor was moved or text overwritten: the text after it does not continue the text before it. */
export const BREAK = '\0';
const BREAK_BYTE = 0;

/** Controls that move the cursor or choose another character set. */
const MOVING: ReadonlySet<number> = new Set([BS, VT, FF, SHIFT_OUT]);

/** U+FFFD, in place of a character that does not go on. */
const REPLACEMENT = Buffer.from('\ufffd');

/** Most bytes processed at once. A stream keeps the memory for them as long as it exists. */
const SLICE_BYTES = 8 * 1024;

/**
 * Extracts the text from a terminal's output: without escape sequences, with LF in place of CR LF, and with
 * {@link BREAK} where the text does not continue. Takes 2 to 4 ns a byte, where a screen takes 20 or more.
 */
export class TextStream {
  readonly #escape = new EscapeReader();
  #memory = Buffer.alloc(0);
  #length = 0;
  #hasText: boolean;
  /** Whether the cursor is back at the beginning of a line that has text. */
  #isReturned = false;
  #previous = 0;
  #isBroken = false;
  #isStaircase = false;

  /** @param isWithinLine - whether the cursor is within a line at first */
  constructor(isWithinLine = false) {
    this.#hasText = isWithinLine;
  }

  /** Whether there was a {@link BREAK}. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Whether a line feed came without a carriage return: the next line begins below the end of the previous line. */
  get isStaircase(): boolean {
    return this.#isStaircase;
  }

  /** Whether the cursor is on the first column, with no sequence or character unfinished. */
  get isAtLineStart(): boolean {
    return !this.#escape.isOpen && this.#length === 0 && (!this.#hasText || this.#isReturned);
  }

  /** Returns the text of the next bytes. An unfinished character at their end waits for its remaining bytes. */
  push(bytes: Uint8Array): string {
    let text = '';
    for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
      text += this.#pushSlice(bytes.subarray(from, from + SLICE_BYTES));
    }
    return text;
  }

  /** Returns and drops a character that is still unfinished when the output ends, decoded as U+FFFD. */
  end(): string {
    const text = this.#memory.toString('utf8', 0, this.#length);
    this.#length = 0;
    return text;
  }

  #pushSlice(bytes: Uint8Array): string {
    this.#makeRoom(bytes.length);
    for (let at = 0; at < bytes.length; ) {
      const after = this.#escape.isOpen ? at : this.#takeMany(bytes, at);
      if (after === at) this.#take(bytes[at++]!);
      else at = after;
    }
    const memory = this.#memory;
    const rest = unfinishedCharacter(memory.subarray(0, this.#length));
    const text = memory.toString('utf8', 0, this.#length - rest);
    memory.copyWithin(0, this.#length - rest, this.#length);
    this.#length = rest;
    return text;
  }

  /** Takes a run of text or an SGR sequence; output consists mostly of these. Returns the index after it. */
  #takeMany(bytes: Uint8Array, from: number): number {
    if (bytes[from] === ESC) {
      this.#endCharacter();
      return afterSgr(bytes, from);
    }
    if (this.#isReturned || this.#previous === C1_LEAD) return from;
    const memory = this.#memory;
    let length = this.#length;
    let at = from;
    for (let byte = bytes[at]!; byte >= 0x20 && byte !== DEL && byte !== C1_LEAD; byte = bytes[++at]!) {
      memory[length++] = byte;
    }
    this.#length = length;
    if (at > from) this.#hasText = true;
    return at;
  }

  #take(byte: number): void {
    if (byte < 0x20 || byte === DEL) this.#endCharacter();
    if (this.#escape.isOpen) this.#takeEscaped(byte);
    else if (byte >= 0x20 ? byte !== DEL : byte === TAB) this.#print(byte);
    else if (byte === ESC) this.#escape.open();
    else if (byte === LF) {
      if (this.#hasText && !this.#isReturned) this.#isStaircase = true;
      this.#hasText = false;
      this.#isReturned = false;
      this.#memory[this.#length++] = LF;
    } else if (byte === CR) this.#isReturned = this.#hasText;
    else if (MOVING.has(byte)) this.#break();
    this.#previous = byte;
  }

  #takeEscaped(byte: number): void {
    const effect = this.#escape.take(byte);
    const isMoved = effect === 'moves' || effect === 'movesInRow';
    if (isMoved || (effect === 'erasesAfter' && this.#isReturned)) this.#break();
  }

  #print(byte: number): void {
    if (this.#isReturned) this.#break();
    this.#hasText = true;
    if (this.#previous === C1_LEAD && byte >= 0x80 && byte < 0xa0) {
      this.#isBroken = true;
      this.#memory[this.#length - 1] = BREAK_BYTE;
    } else this.#memory[this.#length++] = byte;
  }

  #break(): void {
    this.#isBroken = true;
    this.#isReturned = false;
    this.#memory[this.#length++] = BREAK_BYTE;
  }

  /** Replaces an unfinished character: after a control or a sequence, the next bytes do not continue it. */
  #endCharacter(): void {
    if (this.#length === 0 || this.#memory[this.#length - 1]! < 0x80) return;
    const rest = unfinishedCharacter(this.#memory.subarray(0, this.#length));
    if (rest === 0) return;
    this.#memory.set(REPLACEMENT, this.#length - rest);
    this.#length += REPLACEMENT.length - rest;
    this.#previous = 0;
  }

  /**
   * Makes room for the text of `bytes` more bytes of output: at most two bytes for each, itself and a break before it, and
   * one byte more where the first of them ends a character or follows a carriage return of an earlier slice.
   */
  #makeRoom(bytes: number): void {
    const needed = this.#length + 2 * bytes + 1;
    if (this.#memory.length >= needed) return;
    const larger = Buffer.alloc(needed);
    larger.set(this.#memory.subarray(0, this.#length));
    this.#memory = larger;
  }
}

/** Returns the index after the SGR sequence at `from`; `from` itself for any other sequence, and for an incomplete sequence. */
function afterSgr(bytes: Uint8Array, from: number): number {
  if (bytes[from + 1] !== BRACKET) return from;
  let at = from + 2;
  // Digits, colons and semicolons.
  while (bytes[at]! >= 0x30 && bytes[at]! <= 0x3b) at++;
  return bytes[at] === LETTER_M ? at + 1 : from;
}
