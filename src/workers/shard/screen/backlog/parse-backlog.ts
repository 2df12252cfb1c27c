import { ColumnCounter, type PrintPlace } from './column-counter.js';

const CR = 0x0d;
const LF = 0x0a;
const ESC = 0x1b;
const LETTER_K = 0x4b;
const LETTER_M = 0x6d;
const ZERO = 0x30;
const SEMICOLON = 0x3b;

/** Smaller pieces are copied into blocks of about this size; each would keep alive the 64 KiB that it arrived in. */
const BLOCK_BYTES = 4096;

interface Piece {
  bytes: Uint8Array;
  lineFeeds: number;
  /** Block of our own that holds `bytes` and has room for more; undefined if the memory is the caller's. */
  room?: Uint8Array;
}

/** Output that is kept outside of memory for a while. */
interface Away {
  bytes: number;
  lineFeeds: number;
  /** Returns the output. */
  recall: () => Uint8Array;
}

/** A place between two lines of the output, and what stands for all output before it. */
export interface Cut {
  /** What brings the cursor of the screen to the right column, and sets the colours in force. */
  lead: Uint8Array;
  /** Column of the cursor, from 0. */
  column: number;
}

/** Output that is not parsed yet. All of it is plain (see {@link PlainScan}), except perhaps the last addition. */
export class ParseBacklog {
  #pieces: Piece[] = [];
  #head = 0;
  #bytes = 0;
  #lineFeeds = 0;
  /** Output that precedes the pieces. */
  #away: Away | undefined;
  #endsLine = false;

  get bytes(): number {
    return this.#bytes;
  }

  get lineFeeds(): number {
    return this.#lineFeeds;
  }

  /** Whether the last addition ends with CR LF. */
  get endsLine(): boolean {
    return this.#endsLine;
  }

  /** Appends `bytes` and keeps a reference: the caller must not change them afterwards. */
  add(bytes: Uint8Array, lineFeeds: number): void {
    this.#bytes += bytes.length;
    this.#lineFeeds += lineFeeds;
    this.#endsLine = bytes.at(-1) === LF && bytes.at(-2) === CR;
    if (bytes.length >= BLOCK_BYTES) this.#pieces.push({ bytes, lineFeeds });
    else this.#gather(bytes, lineFeeds);
  }

  /** Drops all output from memory; `recall` must return it in one piece. What is missing of it counts as dropped. */
  leave(recall: () => Uint8Array): void {
    const { bytes, lineFeeds } = this;
    this.clear();
    this.#bytes = bytes;
    this.#lineFeeds = lineFeeds;
    if (bytes > 0) this.#away = { bytes, lineFeeds, recall };
  }

  /** Takes output back into memory that `leave` dropped. */
  recall(): void {
    if (!this.#away) return;
    const away = this.#away;
    this.#away = undefined;
    const bytes = away.recall();
    const isWhole = bytes.length === away.bytes;
    const lineFeeds = isWhole ? away.lineFeeds : countLineFeeds(bytes);
    this.#bytes += bytes.length - away.bytes;
    this.#lineFeeds += lineFeeds - away.lineFeeds;
    this.#pieces = [{ bytes, lineFeeds }, ...this.#pieces.slice(this.#head)];
    this.#head = 0;
  }

  /** Returns all output, in order. */
  all(): Uint8Array[] {
    this.recall();
    return this.#pieces.slice(this.#head).map(({ bytes }) => bytes);
  }

  /** Returns at most `limit` bytes of the first piece. Throws when there is no piece. */
  first(limit: number): Uint8Array {
    this.recall();
    return this.#pieces[this.#head]!.bytes.subarray(0, limit);
  }

  /** Drops `count` bytes of the first piece. */
  drop(count: number): void {
    const piece = this.#pieces[this.#head]!;
    this.#bytes -= count;
    if (count < piece.bytes.length) {
      const dropped = countLineFeeds(piece.bytes.subarray(0, count));
      this.#lineFeeds -= dropped;
      piece.lineFeeds -= dropped;
      piece.bytes = piece.bytes.subarray(count);
      return;
    }
    this.#lineFeeds -= piece.lineFeeds;
    this.#head++;
    if (this.#head === this.#pieces.length) this.clear();
    else if (this.#head >= 64) {
      this.#pieces = this.#pieces.slice(this.#head);
      this.#head = 0;
    }
  }

  clear(): void {
    this.#away = undefined;
    this.#pieces = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#lineFeeds = 0;
  }

  /**
   * Drops the output up to the last line feed that has at least `lines` line feeds after it. Undefined when there is no
   * such line feed, and where only a screen can tell the column of the cursor after it.
   *
   * @param place - where the output begins
   */
  skipTo(lines: number, place: PrintPlace): Cut | undefined {
    this.recall();
    const found = this.#cutBefore(lines, place);
    if (!found) return undefined;
    const { index, at, column } = found;
    const cut = { lead: this.#leadTo(index, at, column), column };
    for (const { bytes, lineFeeds } of this.#pieces.slice(this.#head, index)) {
      this.#bytes -= bytes.length;
      this.#lineFeeds -= lineFeeds;
    }
    this.#pieces = this.#pieces.slice(index);
    this.#head = 0;
    this.drop(at);
    return cut;
  }

  /** Returns the output that {@link skipTo} keeps. Drops nothing. */
  end(lines: number, place: PrintPlace): (Cut & { parts: Uint8Array[] }) | undefined {
    this.recall();
    const found = this.#cutBefore(lines, place);
    if (!found) return undefined;
    const { index, at, column } = found;
    const parts = this.#pieces.slice(index).map(({ bytes }) => bytes);
    parts[0] = parts[0]!.subarray(at);
    return { lead: this.#leadTo(index, at, column), column, parts };
  }

  #leadTo(index: number, at: number, column: number): Uint8Array {
    const forward = column > 0 ? `\x1b[${column}C` : '';
    return Buffer.concat([Buffer.from(`\r${forward}`), this.#colorsBefore(index, at)]);
  }

  /** Returns the SGR sequences before a place, from the last complete reset on: earlier sequences have no effect. */
  #colorsBefore(index: number, at: number): Uint8Array {
    const found: Uint8Array[] = [];
    for (let piece = index; piece >= this.#head; piece--) {
      const { bytes } = this.#pieces[piece]!;
      let begin = bytes.lastIndexOf(ESC, piece === index ? at - 1 : bytes.length - 1);
      for (; begin !== -1; begin = begin > 0 ? bytes.lastIndexOf(ESC, begin - 1) : -1) {
        const sequence = this.#sequenceAt(piece, begin);
        if (sequence[sequence.length - 1] !== LETTER_M) continue;
        found.push(sequence);
        if (resetsAll(sequence)) return Buffer.concat(found.reverse());
      }
    }
    return Buffer.concat(found.reverse());
  }

  /** Returns the plain sequence that begins at `at` of a piece and may extend over several pieces. */
  #sequenceAt(piece: number, at: number): Uint8Array {
    const { bytes } = this.#pieces[piece]!;
    const end = endOfSequence(bytes, at + 1);
    if (end > 0) return bytes.subarray(at, end);
    const parts = [bytes.subarray(at)];
    for (let next = piece + 1; next < this.#pieces.length; next++) {
      const more = this.#pieces[next]!.bytes;
      const moreEnd = endOfSequence(more, 0);
      parts.push(moreEnd > 0 ? more.subarray(0, moreEnd) : more);
      if (moreEnd > 0) break;
    }
    return Buffer.concat(parts);
  }

  /** Returns the last place after a line feed that has at least `lines` line feeds after it, and the column there. */
  #cutBefore(lines: number, place: PrintPlace): { index: number; at: number; column: number } | undefined {
    const last = this.#lineEndBefore(lines, endOfLineFeed);
    if (!last) return undefined;
    const column = this.#columnAt(last.index, last.at, place);
    if (column !== undefined) return { ...last, column };
    const returned = this.#lineEndBefore(lines, endOfLine);
    return returned && { ...returned, column: 0 };
  }

  /** @param find - returns the index after the last line end among the first `count` line feeds, 0 for none */
  #lineEndBefore(
    lines: number,
    find: (bytes: Uint8Array, count: number) => number,
  ): { index: number; at: number } | undefined {
    let behind = 0;
    for (let index = this.#pieces.length - 1; index >= this.#head; index--) {
      const { bytes, lineFeeds } = this.#pieces[index]!;
      // Number of this piece's line feeds that may come before the place.
      const before = Math.min(lineFeeds, behind + lineFeeds - lines);
      const at = before > 0 ? find(bytes, before) : 0;
      if (at > 0) return { index, at };
      behind += lineFeeds;
    }
    return undefined;
  }

  /** Returns the column of the cursor at a place; undefined where only a screen can tell. */
  #columnAt(index: number, at: number, place: PrintPlace): number | undefined {
    let first = index;
    let from = this.#pieces[index]!.bytes.lastIndexOf(CR, at - 1);
    while (from === -1 && first > this.#head) from = this.#pieces[--first]!.bytes.lastIndexOf(CR);
    const counter = new ColumnCounter(place);
    for (let piece = first; piece <= index; piece++) {
      const { bytes } = this.#pieces[piece]!;
      const begin = piece === first ? Math.max(0, from) : 0;
      counter.push(bytes.subarray(begin, piece === index ? at : bytes.length));
    }
    return counter.column;
  }

  #gather(bytes: Uint8Array, lineFeeds: number): void {
    const last = this.#head < this.#pieces.length ? this.#pieces.at(-1) : undefined;
    const used = last?.bytes.length ?? 0;
    if (last?.room && last.bytes.byteOffset + used + bytes.length <= last.room.length) {
      const begin = last.bytes.byteOffset;
      last.room.set(bytes, begin + used);
      last.bytes = last.room.subarray(begin, begin + used + bytes.length);
      last.lineFeeds += lineFeeds;
      return;
    }
    const room = new Uint8Array(this.#bytes > BLOCK_BYTES ? BLOCK_BYTES : Math.max(256, 2 * bytes.length));
    room.set(bytes);
    this.#pieces.push({ bytes: room.subarray(0, bytes.length), lineFeeds, room });
  }
}

/** Index after the last CR LF among the first `count` line feeds; 0 when there is none. */
function endOfLine(bytes: Uint8Array, count: number): number {
  let last = 0;
  let at = -1;
  for (let left = count; left > 0; left--) {
    at = bytes.indexOf(LF, at + 1);
    if (bytes[at - 1] === CR) last = at + 1;
  }
  return last;
}

/** Index after the line feed of this number, from 1. */
function endOfLineFeed(bytes: Uint8Array, count: number): number {
  let at = -1;
  for (let left = count; left > 0; left--) at = bytes.indexOf(LF, at + 1);
  return at + 1;
}

function countLineFeeds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) count++;
  return count;
}

/** Index after the letter that ends the plain sequence around `from`; 0 when `bytes` does not contain that letter. */
function endOfSequence(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === LETTER_K || byte === LETTER_M) return at + 1;
  }
  return 0;
}

/** Whether the first parameter of an SGR sequence is 0, or empty, which means the same. */
function resetsAll(sequence: Uint8Array): boolean {
  const [first, second] = sequence.subarray(2);
  if (first === SEMICOLON || first === LETTER_M) return true;
  return first === ZERO && (second === SEMICOLON || second === LETTER_M);
}
