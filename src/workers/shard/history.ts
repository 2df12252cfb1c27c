import { MAX_LOG_RESIZES } from '../../contract/limits.js';
import { LF } from '../ascii.js';
import { boundaryFrom, type Pieces, positionOf } from './boundary.js';
import { type Entry, joined, PACK_IN_MEMORY, type PackOptions, type Segment } from './packed-entries.js';
import { entriesFrom, PackedOutput, type Size, segmentsBetween, sizeAt } from './packed-output.js';
import { EscapeReader } from './screen/xterm/escape-reader.js';

export type { Segment } from './packed-entries.js';

/** Old output is dropped up to a line end at most this far away; a longer line is cut at the first possible byte. */
const LONG_LINE_BYTES = 64 * 1024;

/** Smaller writes are gathered in blocks of this size, since an entry per keystroke would cost 50 times its bytes. */
const BLOCK_BYTES = 4096;

/** Less output than this is not deflated, because that saves no more than the packed form costs. */
const PACK_FROM_BYTES = 1024;

/**
 * Bytes of output in one deflated piece: while the terminal is at work, as many as a deflate stream looks back; while
 * it is quiet, more, since few pieces take the least memory.
 */
const PIECE_BYTES = 32 * 1024;
const QUIET_PIECE_BYTES = 128 * 1024;

/**
 * The last part of a terminal's raw output, bounded in bytes and addressed by position (bytes printed since the
 * terminal began). `?since=` reads from it.
 */
export class History {
  readonly #capacity: number;
  /** Output before the entries. */
  readonly #packed: PackedOutput;
  #entries: Entry[] = [];
  #end: number;
  /** Block in which small writes gather: the last entry is a view of its first `used` bytes. */
  #block: { memory: Uint8Array; used: number; entry: Entry } | undefined;
  /** Set within a sequence longer than the capacity, such as an image: nothing is kept until the sequence ends. */
  #endless: EscapeReader | undefined;

  /** @param size - the screen's size at `start` */
  constructor(capacity: number, start: number, size: Size, packing: PackOptions = PACK_IN_MEMORY) {
    this.#capacity = capacity;
    this.#packed = new PackedOutput(packing, start, size);
    this.#end = start;
  }

  /**
   * Appends `bytes` and keeps a reference: the caller must not change them afterwards. Returns the same bytes where
   * this history keeps them, for others that need them for a while: small writes are copied into shared memory, one
   * behind the other, and do not keep the 64 KiB in which they arrived.
   */
  append(bytes: Uint8Array): Uint8Array {
    const kept = this.#endless ? this.#dropEndless(bytes, this.#endless) : this.#keep(bytes);
    if (this.dropsFor(0)) this.#trim();
    return kept;
  }

  /** Returns whether old output is dropped once `count` bytes are appended: only a quarter above the bound, for many at once. */
  dropsFor(count: number): boolean {
    return this.#end + count - this.#packed.start > this.#capacity * 1.25;
  }

  /** Returns whether all output from this position on is kept. */
  keepsFrom(position: number): boolean {
    return position >= this.#packed.start && !this.#endless;
  }

  resized(cols: number, rows: number): void {
    // Within an endless sequence no output is kept, so only the size at the start changes.
    if (this.#endless) this.#packed.startAt(this.#end, { cols, rows });
    else {
      this.#boundResizes();
      this.#push({ cols, rows });
    }
  }

  /**
   * Returns the output from position `begin` to `end`, and the screen's size at its beginning. `gap` is true when
   * output after `begin` is already dropped; the segments then start with the oldest line that is left.
   */
  between(begin: number, end: number): { gap: boolean; size: Size; segments: Segment[] } {
    const older = this.#packed.between(begin, end);
    const entries = [...older.entries, ...this.#entries];
    return { gap: begin < this.#packed.start, ...segmentsBetween(entries, older.size, begin, end) };
  }

  /**
   * Packs the output into as little memory as possible until more is printed; for a quiet terminal. Reading does not
   * unpack it.
   */
  pack(): void {
    this.#block = undefined;
    if (this.#looseBytes < PACK_FROM_BYTES) this.#entries = joined(this.#entries);
    else this.#packLoose(QUIET_PIECE_BYTES);
  }

  /** Packs the output if a piece of it has gathered; for a terminal that prints slowly, since it takes up to 2 ms. */
  packGathered(): void {
    if (this.#looseBytes >= PIECE_BYTES) this.#packLoose(PIECE_BYTES);
  }

  /** Memory in bytes that the kept output holds, including unused parts of its buffers. */
  get residentBytes(): number {
    const buffers = new Set(
      this.#entries.flatMap(({ segment }) => ('bytes' in segment ? [segment.bytes.buffer] : [])),
    );
    return [...buffers].reduce((sum, { byteLength }) => sum + byteLength, this.#packed.residentBytes);
  }

  /** Frees all output. */
  close(): void {
    this.#packed.free();
    this.#entries = [];
    this.#block = undefined;
  }

  get #looseBytes(): number {
    return this.#end - this.#packed.end;
  }

  /**
   * Drops the oldest resize at the present position if there are too many: the bound in bytes does not bound them, and a
   * client can resize a silent terminal for hours. The pty host keeps no more either.
   */
  #boundResizes(): void {
    const first = this.#entries.length - MAX_LOG_RESIZES;
    const oldest = this.#entries[first];
    if (oldest && 'cols' in oldest.segment && oldest.position === this.#end) this.#entries.splice(first, 1);
  }

  #packLoose(pieceBytes: number): void {
    this.#block = undefined;
    this.#packed.append(this.#entries, pieceBytes);
    this.#entries = [];
  }

  #keep(bytes: Uint8Array): Uint8Array {
    const kept = bytes.length < BLOCK_BYTES ? this.#gather(bytes) : bytes;
    if (kept === bytes) this.#push({ bytes });
    this.#end += bytes.length;
    return kept;
  }

  #push(segment: Segment): Entry {
    const entry = { position: this.#end, segment };
    this.#entries.push(entry);
    this.#block = undefined;
    return entry;
  }

  #gather(bytes: Uint8Array): Uint8Array {
    let block = this.#block;
    if (!block || block.memory.length - block.used < bytes.length) {
      const memory = new Uint8Array(BLOCK_BYTES);
      block = { memory, used: 0, entry: this.#push({ bytes: memory.subarray(0, 0) }) };
      this.#block = block;
    }
    const from = block.used;
    block.memory.set(bytes, from);
    block.used += bytes.length;
    // Make a new view, because readers may still hold the shorter one.
    const begin = this.#end + bytes.length - block.used;
    const trimmed = Math.max(0, block.entry.position - begin);
    block.entry.segment = { bytes: block.memory.subarray(trimmed, block.used) };
    return block.memory.subarray(from, block.used);
  }

  /** Drops the oldest output down to the capacity, and further to the end of a line, so that no sequence is cut. */
  #trim(): void {
    const least = this.#end - this.#capacity;
    const older = this.#packed.around(least);
    // No more than this is left when packed output could not be read back.
    if (this.#end - this.#packed.start <= this.#capacity) return;
    const cut = this.#cutFrom([...older, ...this.#entries], least);
    this.#packed.startAt(cut, sizeAt(this.#entries, cut));
    this.#entries = entriesFrom(this.#entries, cut);
    if (this.#entries.length === 0) this.#block = undefined;
  }

  /**
   * Returns the position after the first line feed at or after `position` that is in no sequence; in a very long line,
   * that of the first byte outside of sequences and characters.
   */
  #cutFrom(entries: readonly Entry[], position: number): number {
    const pieces = piecesOf(entries);
    const reader = new EscapeReader();
    const first = boundaryFrom(pieces, position, reader);
    if (first === undefined) {
      this.#endless = reader;
      return this.#end;
    }
    for (let from = first; ; ) {
      const lineEnd = positionOf(pieces, LF, from, first + LONG_LINE_BYTES);
      if (lineEnd === undefined) return first;
      const next = boundaryFrom(pieces, lineEnd + 1);
      if (next === lineEnd + 1) return next;
      if (next === undefined) return first;
      from = next;
    }
  }

  /** Drops bytes up to the end of the sequence, and keeps the bytes after it. */
  #dropEndless(bytes: Uint8Array, reader: EscapeReader): Uint8Array {
    let at = 0;
    while (at < bytes.length && reader.isOpen) reader.take(bytes[at++]!);
    this.#end += at;
    this.#packed.startAt(this.#end);
    if (!reader.isOpen) {
      this.#endless = undefined;
      this.#keep(bytes.subarray(at));
    }
    return bytes;
  }
}

function piecesOf(entries: readonly Entry[]): Pieces {
  return entries.flatMap(({ position, segment }) =>
    'bytes' in segment ? [{ position, bytes: segment.bytes }] : [],
  );
}
