import { MAX_TITLE_BYTES } from '../../../contract/limits.js';
import { BEL, C1_LEAD, ESC } from '../../ascii.js';
import { ByteBuffer } from './byte-buffer.js';

const CAN = 0x18;
const SUB = 0x1a;
/** Second byte of the string terminator as one character, C2 9C in UTF-8. */
const TERMINATOR = 0x9c;
const SEMICOLON = 0x3b;
const CLOSING_BRACKET = 0x5d;
const ZERO = 0x30;
const TWO = 0x32;
const NINE = 0x39;
/** Introducers of strings, after ESC, in which a BEL neither rings nor ends anything: DCS, SOS, PM, APC. */
const OPAQUE: ReadonlySet<number> = new Set([0x50, 0x58, 0x5e, 0x5f]);

type State = 'ground' | 'escape' | 'command' | 'opaque';

/** Signs in a piece of output. */
export interface PieceSigns {
  /** The last title that was set, part of the piece or a copy; undefined if none was. */
  title: Buffer | undefined;
  rang: boolean;
}

/** Finds the places of a byte one after the other, so that all searches in a piece are one pass. */
class Finder {
  readonly #piece: Buffer;
  readonly #byte: number;
  readonly #fits: (piece: Buffer, at: number) => boolean;
  #at = -1;

  /** @param fits - says of a place of the byte whether it counts */
  constructor(piece: Buffer, byte: number, fits: (piece: Buffer, at: number) => boolean = () => true) {
    this.#piece = piece;
    this.#byte = byte;
    this.#fits = fits;
  }

  /** Returns the first place at or after `from`, which never decreases; the end of the piece if there is none. */
  next(from: number): number {
    if (this.#at < from) {
      let at = this.#piece.indexOf(this.#byte, from);
      while (at !== -1 && !this.#fits(this.#piece, at)) at = this.#piece.indexOf(this.#byte, at + 1);
      this.#at = at === -1 ? this.#piece.length : at;
    }
    return this.#at;
  }
}

/**
 * Finds titles and bells in output that arrives in pieces cut anywhere. As in xterm, BEL and any ESC end an
 * operating system command, CAN and SUB drop it, and BEL rings everywhere else but in the other strings. The string
 * terminator U+009C ends all strings.
 *
 * Outside of strings it looks only at the last ESC before each BEL, before each `]` that may begin a title, and before the
 * end of the piece: other output passes at memory speed. It does not look for ESC, since coloured output is full of it.
 */
export class SignScanner {
  #state: State = 'ground';
  /** The operating system command so far, as far as it can be a title, if it began in an earlier piece. */
  readonly #begun = new ByteBuffer();
  #title: Buffer | undefined;
  #rang = false;
  /** Last byte of the previous piece. */
  #previous = 0;

  /** Returns the signs in `bytes`. */
  scan(bytes: Uint8Array): PieceSigns {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const bells = new Finder(piece, BEL);
    // A title whose ESC is in an earlier piece needs no search.
    const titles = piece.includes(ESC) ? new Finder(piece, CLOSING_BRACKET, mayBeginTitle) : undefined;
    this.#title = undefined;
    this.#rang = false;
    for (let at = 0; at < piece.length; ) {
      if (this.#state === 'ground') at = this.#inGround(piece, at, bells, titles);
      else if (this.#state === 'command') at = this.#inCommand(piece, at);
      else if (this.#state === 'opaque') at = this.#inOpaque(piece, at);
      else at = this.#afterEscape(piece, at);
    }
    this.#previous = piece.at(-1) ?? this.#previous;
    return { title: this.#title, rang: this.#rang };
  }

  #inGround(piece: Buffer, from: number, bells: Finder, titles: Finder | undefined): number {
    // A second bell in the same piece adds nothing.
    const bell = this.#rang ? piece.length : bells.next(from);
    const next = Math.min(bell, titles?.next(from) ?? piece.length);
    const last = piece.subarray(from, next).lastIndexOf(ESC);
    if (last !== -1) {
      this.#state = 'escape';
      return from + last + 1;
    }
    if (next === bell && next < piece.length) this.#rang = true;
    return next + 1;
  }

  #afterEscape(piece: Buffer, at: number): number {
    const byte = piece[at]!;
    if (byte === CLOSING_BRACKET) this.#state = 'command';
    else if (OPAQUE.has(byte)) this.#state = 'opaque';
    else if (byte >= 0x20 || byte === CAN || byte === SUB) this.#state = 'ground';
    // Other control characters take effect, and leave the sequence as it is.
    if (byte === BEL) this.#rang = true;
    return at + 1;
  }

  #inCommand(piece: Buffer, from: number): number {
    const at = this.#endOfString(piece, from, isEnd);
    const room = MAX_TITLE_BYTES - this.#begun.length;
    let command = piece.subarray(from, Math.min(at, from + room));
    if (at === piece.length || this.#begun.length > 0) {
      this.#begun.append(command);
      if (at === piece.length) return at;
      command = this.#begun.copy();
      this.#begun.clear();
    }
    const byte = piece[at]!;
    // The first byte of the terminator is no part of the title.
    if (byte === TERMINATOR && command.at(-1) === C1_LEAD) command = command.subarray(0, -1);
    if (byte === BEL || byte === ESC || byte === TERMINATOR) this.#title = titleIn(command) ?? this.#title;
    this.#state = byte === ESC ? 'escape' : 'ground';
    return at + 1;
  }

  #inOpaque(piece: Buffer, from: number): number {
    const at = this.#endOfString(piece, from, isEndOfOpaque);
    if (at < piece.length) this.#state = piece[at] === ESC ? 'escape' : 'ground';
    return at + 1;
  }

  /** Returns the index of the byte that ends a string; the length of the piece if none does. Images make long strings. */
  #endOfString(piece: Buffer, from: number, ends: (control: number) => boolean): number {
    const { length } = piece;
    for (let at = from; at < length; at++) {
      const byte = piece[at]!;
      if (byte >= 0x20 && byte !== TERMINATOR) continue;
      if (byte !== TERMINATOR ? ends(byte) : this.#before(piece, at) === C1_LEAD) return at;
    }
    return length;
  }

  #before(piece: Buffer, at: number): number {
    return at > 0 ? piece[at - 1]! : this.#previous;
  }
}

/** Returns whether the number of a title may follow; the end of a piece is examined anyway. */
function mayBeginTitle(piece: Buffer, bracket: number): boolean {
  const next = piece[bracket + 1];
  return next === ZERO || next === TWO || (next !== undefined && next < 0x20);
}

/**
 * Returns the title that a command sets, if it sets one: `0` sets title and icon name, `2` the title alone. As in xterm,
 * zeros may lead, control characters count nowhere, and without `;` the title is empty.
 */
function titleIn(command: Buffer): Buffer | undefined {
  let number: number | undefined;
  for (let at = 0; at < command.length; at++) {
    const byte = command[at]!;
    if (byte < 0x20) continue;
    if (byte === SEMICOLON) return number === 0 || number === 2 ? command.subarray(at + 1) : undefined;
    if (byte < ZERO || byte > NINE) return;
    number = (number ?? 0) * 10 + byte - ZERO;
  }
  return number === 0 || number === 2 ? command.subarray(command.length) : undefined;
}

function isEnd(control: number): boolean {
  return control === BEL || isEndOfOpaque(control);
}

function isEndOfOpaque(control: number): boolean {
  return control === ESC || control === CAN || control === SUB;
}
