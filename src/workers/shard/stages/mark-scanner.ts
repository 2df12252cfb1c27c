import { MAX_MARK_BYTES } from '../../../contract/limits.js';
import { BEL, ESC } from '../../ascii.js';
import { ByteBuffer } from './byte-buffer.js';

const CAN = 0x18;
const SUB = 0x1a;
const SIX = 0x36;
const BACKSLASH = 0x5c;

/** Beginning of a mark of the family 133. In the family 633 only the byte at {@link FAMILY_AT} differs. */
const INTRODUCER = Buffer.from('\x1b]133;');
const FAMILY_AT = 2;
const OSC = INTRODUCER.subarray(0, FAMILY_AT);

/** Introducers without ESC, since coloured output is full of ESC. */
const NEEDLES = [Buffer.from(']133;'), Buffer.from(']633;')];

/** An operating system command (OSC) of a family that shells use, found in a terminal's output. */
export interface FoundMark {
  family: 133 | 633;
  /** Position of its ESC. */
  begin: number;
  /** Position after its terminator. */
  end: number;
  /** Bytes between the number and the terminator. */
  payload: Buffer;
}

const NONE: readonly FoundMark[] = [];

/**
 * Finds marks of shells in output that arrives in pieces cut anywhere. As in xterm, ESC `]` begins a mark whatever
 * precedes it, and BEL, CAN, SUB and any ESC end the mark. It counts only if it ends with BEL or ESC `\`.
 */
export class MarkScanner {
  /** Bytes taken before the present piece. */
  #position: number;
  #begin = 0;
  /** Number of bytes of the introducer that have come; its whole length within a payload. */
  #matched = 0;
  #family: FoundMark['family'] = 133;
  /** Whether an ESC has ended the payload: the mark is then complete if a backslash follows. */
  #isEscaped = false;
  readonly #payload = new ByteBuffer();

  /** @param position - position of the first byte that is passed to {@link scan} */
  constructor(position: number) {
    this.#position = position;
  }

  /** Returns the marks that end in `bytes`, in order. */
  scan(bytes: Uint8Array): readonly FoundMark[] {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const found = this.#matched === 0 && hasNone(piece) ? NONE : this.#scan(piece);
    this.#position += piece.length;
    return found;
  }

  #scan(piece: Buffer): FoundMark[] {
    const found: FoundMark[] = [];
    for (let at = 0; at < piece.length; ) {
      if (this.#isEscaped) at = this.#afterEscape(piece, at, found);
      else if (this.#matched === INTRODUCER.length) at = this.#inPayload(piece, at, found);
      else if (this.#matched > 0) at = this.#inIntroducer(piece, at);
      else at = this.#search(piece, at);
    }
    return found;
  }

  #search(piece: Buffer, from: number): number {
    const at = piece.indexOf(OSC, from);
    if (at !== -1) return this.#open(at);
    return piece[piece.length - 1] === ESC ? this.#open(piece.length - 1) : piece.length;
  }

  /** Begins a possible mark at the ESC at `at`; returns the index after it. */
  #open(at: number): number {
    this.#begin = this.#position + at;
    this.#close();
    this.#matched = 1;
    return at + 1;
  }

  /** Resets the scanner: no mark has begun. */
  #close(): void {
    this.#matched = 0;
    this.#isEscaped = false;
    this.#payload.clear();
  }

  #inIntroducer(piece: Buffer, at: number): number {
    const byte = piece[at]!;
    const isSix = this.#matched === FAMILY_AT && byte === SIX;
    if (isSix || byte === INTRODUCER[this.#matched]) {
      if (this.#matched === FAMILY_AT) this.#family = isSix ? 633 : 133;
      this.#matched++;
      return at + 1;
    }
    if (byte === ESC) return this.#open(at);
    this.#close();
    return at;
  }

  #inPayload(piece: Buffer, from: number, found: FoundMark[]): number {
    let at = from;
    while (at < piece.length && !isEnd(piece[at]!)) at++;
    this.#payload.append(piece.subarray(from, at));
    if (this.#payload.length > MAX_MARK_BYTES) {
      this.#close();
      return at;
    }
    if (at === piece.length) return at;
    const end = piece[at]!;
    if (end === ESC) this.#isEscaped = true;
    else if (end === BEL) this.#complete(at + 1, found);
    else this.#close();
    return at + 1;
  }

  #afterEscape(piece: Buffer, at: number, found: FoundMark[]): number {
    if (piece[at] === BACKSLASH) {
      this.#complete(at + 1, found);
      return at + 1;
    }
    // The ESC, which may be in the previous piece, begins something else.
    this.#open(at - 1);
    return at;
  }

  #complete(after: number, found: FoundMark[]): void {
    found.push({
      family: this.#family,
      begin: this.#begin,
      end: this.#position + after,
      payload: this.#payload.copy(),
    });
    this.#close();
  }
}

/** Returns whether a piece has no mark and no beginning of one. Takes a few passes at memory speed, so floods stay fast. */
function hasNone(piece: Buffer): boolean {
  return (
    !piece.includes(ESC) || !(NEEDLES.some((needle) => piece.includes(needle)) || endsInIntroducer(piece))
  );
}

/** Returns whether a mark may begin in the last bytes. */
function endsInIntroducer(piece: Buffer): boolean {
  const from = Math.max(0, piece.length - INTRODUCER.length + 1);
  const at = piece.indexOf(ESC, from);
  if (at === -1) return false;
  for (let begin = at; begin < piece.length; begin++) {
    const tail = piece.subarray(begin);
    if (tail.every((byte, index) => byte === INTRODUCER[index] || (index === FAMILY_AT && byte === SIX)))
      return true;
  }
  return false;
}

function isEnd(byte: number): boolean {
  return byte < 0x20 && (byte === BEL || byte === ESC || byte === CAN || byte === SUB);
}
