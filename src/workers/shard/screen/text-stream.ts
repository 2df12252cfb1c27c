import { unfinishedCharacter } from '../frames.js';
import { EscapeReader } from './escape-reader.js';

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const ESC = 0x1b;
const BRACKET = 0x5b;
const LETTER_M = 0x6d;
const DEL = 0x7f;
/** First byte of the C1 controls, which go on with 80 to 9F. */
const C1_LEAD = 0xc2;

/** Stands where the cursor was moved: what comes after it does not follow on what comes before. */
export const BREAK = '\0';
const BREAK_BYTE = 0;

/** Controls that move the cursor or choose other characters: BS, VT, FF and shift-out. */
const MOVING: ReadonlySet<number> = new Set([0x08, 0x0b, 0x0c, 0x0e]);

/** Worked at in one go: memory for it stays for as long as the stream. */
const SLICE_BYTES = 8 * 1024;

/**
 * The text in a terminal's output as it is printed: without escape sequences, CR LF as LF, and {@link BREAK} where
 * text does not go on. Takes 2 to 4 ns a byte, where a screen takes 20 or more.
 */
export class TextStream {
  readonly #escape = new EscapeReader();
  #memory = Buffer.alloc(0);
  #length = 0;
  #hasText: boolean;
  /** The cursor stands at the beginning of a line that has text. */
  #isReturned = false;
  #previous = 0;
  #isBroken = false;
  #isStaircase = false;

  /** @param isWithinLine - the cursor stands somewhere within a line at first */
  constructor(isWithinLine = false) {
    this.#hasText = isWithinLine;
  }

  /** There was a {@link BREAK}. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** A line feed came without a carriage return, so that the next line begins below the end of the one before. */
  get isStaircase(): boolean {
    return this.#isStaircase;
  }

  /** The cursor stands on the first column, and nothing is unfinished. */
  get isAtLineStart(): boolean {
    return !this.#escape.isOpen && this.#length === 0 && (!this.#hasText || this.#isReturned);
  }

  /** The text of the next bytes; the beginning of a character waits for its end. */
  push(bytes: Uint8Array): string {
    let text = '';
    for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
      text += this.#pushSlice(bytes.subarray(from, from + SLICE_BYTES));
    }
    return text;
  }

  /** What is left of a character whose end does not come. */
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

  /** Takes a run of text or a colour, what output mostly is; gives the index after it. */
  #takeMany(bytes: Uint8Array, from: number): number {
    if (bytes[from] === ESC) return afterSgr(bytes, from);
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
    if (effect === 'moves' || (effect === 'erasesAfter' && this.#isReturned)) this.#break();
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

  /** A byte becomes two at most: with the break of a line that is overwritten. */
  #makeRoom(bytes: number): void {
    const needed = this.#length + 2 * bytes;
    if (this.#memory.length >= needed) return;
    const larger = Buffer.alloc(needed);
    larger.set(this.#memory.subarray(0, this.#length));
    this.#memory = larger;
  }
}

/** Index after the SGR sequence at `from`; `from` itself for any other, and one that is not all there. */
function afterSgr(bytes: Uint8Array, from: number): number {
  if (bytes[from + 1] !== BRACKET) return from;
  let at = from + 2;
  // Digits, colons and semicolons.
  while (bytes[at]! >= 0x30 && bytes[at]! <= 0x3b) at++;
  return bytes[at] === LETTER_M ? at + 1 : from;
}
