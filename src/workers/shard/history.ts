import { boundaryFrom, type Pieces, positionOf } from './boundary.js';
import {
  type Entry,
  joined,
  PACK_IN_MEMORY,
  PackedEntries,
  type PackOptions,
  type Segment,
} from './packed-entries.js';
import { EscapeReader } from './screen/xterm/escape-reader.js';

export type { Segment } from './packed-entries.js';

const LF = 0x0a;

/** Old output is dropped up to a line end at most this far away; a longer line is cut at the first possible byte. */
const LONG_LINE_BYTES = 64 * 1024;

/** Smaller writes are gathered in blocks of this size, since an entry per keystroke would cost 50 times its bytes. */
const BLOCK_BYTES = 4096;

/** Less output than this is not deflated, because that saves no more than the packed form costs. */
const PACK_FROM_BYTES = 1024;

/**
 * The last part of a terminal's raw output, bounded in bytes and addressed by position (bytes printed since the
 * terminal began). `?since=` reads from it.
 */
export class History {
  readonly #capacity: number;
  readonly #packing: PackOptions;
  /** Output before the entries. */
  #packed: PackedEntries | undefined;
  #entries: Entry[] = [];
  #start: number;
  #end: number;
  /** Size of the screen at `#start`. */
  #size: { cols: number; rows: number };
  /** Where small writes gather: the last entry is a view of its first `used` bytes. */
  #block: { memory: Uint8Array; used: number; entry: Entry } | undefined;
  /** Set within a sequence longer than the capacity, such as an image: nothing is kept until the sequence ends. */
  #endless: EscapeReader | undefined;

  constructor(
    capacity: number,
    start: number,
    size: { cols: number; rows: number },
    packing: PackOptions = PACK_IN_MEMORY,
  ) {
    this.#capacity = capacity;
    this.#packing = packing;
    this.#start = start;
    this.#end = start;
    this.#size = size;
  }

  /** Appends `bytes` and keeps a reference: the caller must not change them afterwards. */
  append(bytes: Uint8Array): void {
    if (this.#endless) this.#dropEndless(bytes, this.#endless);
    else this.#keep(bytes);
    // Trim only from a quarter above the bound, so that many writes share the cost of one trim.
    if (this.#end - this.#start > this.#capacity * 1.25) this.#trim();
  }

  resized(cols: number, rows: number): void {
    // Within an endless sequence no output is kept, so only the size at the start changes.
    if (this.#endless) this.#size = { cols, rows };
    else this.#push({ cols, rows });
  }

  /**
   * Returns the output from position `begin` to `end`, and the screen's size at its beginning. `gap` is true when
   * output after `begin` is already dropped; the segments then start with the oldest line that is left.
   */
  between(
    begin: number,
    end: number,
  ): { gap: boolean; size: { cols: number; rows: number }; segments: Segment[] } {
    const isRecent = this.#packed !== undefined && begin >= this.#packed.end;
    const entries = isRecent ? this.#entries : this.#unpacked();
    let size = (isRecent && this.#packed?.size) || this.#size;
    const segments: Segment[] = [];
    for (const { position, segment } of entries) {
      if (position > end) break;
      if ('cols' in segment) {
        if (position <= begin) size = segment;
        else segments.push(segment);
        continue;
      }
      const bytes = segment.bytes.subarray(Math.max(0, begin - position), Math.max(0, end - position));
      if (bytes.length > 0) segments.push({ bytes });
    }
    return { gap: begin < this.#start, size: { cols: size.cols, rows: size.rows }, segments };
  }

  /**
   * Packs the output into as little memory as possible until more is printed; for a quiet terminal. Reading does not
   * unpack it.
   */
  pack(): void {
    this.#block = undefined;
    const loose = this.#end - (this.#packed?.end ?? this.#start);
    if (loose < PACK_FROM_BYTES) {
      this.#entries = joined(this.#entries);
    } else {
      const entries = this.#unpacked();
      this.#packed = new PackedEntries(entries, this.#packing.spill);
      this.#entries = [];
    }
  }

  /** Memory in bytes that the kept output holds, including unused parts of its buffers. */
  get residentBytes(): number {
    const buffers = new Set(
      this.#entries.flatMap(({ segment }) => ('bytes' in segment ? [segment.bytes.buffer] : [])),
    );
    return [...buffers].reduce((sum, { byteLength }) => sum + byteLength, this.#packed?.residentBytes ?? 0);
  }

  /** Frees all output. */
  close(): void {
    this.#dropPacked();
    this.#entries = [];
    this.#block = undefined;
  }

  /** Returns all entries. Packed entries stay packed unless newer entries follow them. */
  #unpacked(): readonly Entry[] {
    const packed = this.#packed && this.#read(this.#packed);
    if (!packed) return this.#entries;
    if (this.#entries.length === 0) return packed;
    this.#dropPacked();
    this.#entries = [...packed, ...this.#entries];
    return this.#entries;
  }

  /** Returns packed entries. If the disk fails, only the terminal's older output is lost; the shard keeps running. */
  #read(packed: PackedEntries): Entry[] | undefined {
    try {
      return packed.entries();
    } catch (error) {
      this.#start = packed.end;
      this.#size = packed.size ?? this.#size;
      this.#dropPacked();
      const reason = error instanceof Error ? error.message : String(error);
      this.#packing.fault(new Error(`older output could not be read back: ${reason}`, { cause: error }));
      return undefined;
    }
  }

  #dropPacked(): void {
    this.#packed?.free();
    this.#packed = undefined;
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length < BLOCK_BYTES) this.#gather(bytes);
    else this.#push({ bytes });
    this.#end += bytes.length;
  }

  #push(segment: Segment): Entry {
    const entry = { position: this.#end, segment };
    this.#entries.push(entry);
    this.#block = undefined;
    return entry;
  }

  #gather(bytes: Uint8Array): void {
    let block = this.#block;
    if (!block || block.memory.length - block.used < bytes.length) {
      const memory = new Uint8Array(BLOCK_BYTES);
      block = { memory, used: 0, entry: this.#push({ bytes: memory.subarray(0, 0) }) };
      this.#block = block;
    }
    block.memory.set(bytes, block.used);
    block.used += bytes.length;
    // Make a new view, because readers may still hold the shorter one.
    const begin = this.#end + bytes.length - block.used;
    const trimmed = Math.max(0, block.entry.position - begin);
    block.entry.segment = { bytes: block.memory.subarray(trimmed, block.used) };
  }

  /** Drops the oldest output down to the capacity, and further to the end of a line, so that no sequence is cut. */
  #trim(): void {
    const entries = this.#unpacked();
    // This little is left when packed output could not be read back.
    if (this.#end - this.#start <= this.#capacity) return;
    const cut = this.#cutFrom(entries, this.#end - this.#capacity);
    let dropped = 0;
    for (const entry of entries) {
      if ('cols' in entry.segment) {
        if (entry.position > cut) break;
        this.#size = entry.segment;
      } else {
        const { bytes } = entry.segment;
        if (entry.position + bytes.length > cut) {
          const begin = Math.max(0, cut - entry.position);
          entry.segment = { bytes: bytes.subarray(begin) };
          entry.position += begin;
          break;
        }
      }
      dropped++;
    }
    if (dropped === entries.length) this.#block = undefined;
    this.#entries = entries.slice(dropped);
    this.#start = cut;
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
  #dropEndless(bytes: Uint8Array, reader: EscapeReader): void {
    let at = 0;
    while (at < bytes.length && reader.isOpen) reader.take(bytes[at++]!);
    this.#end += at;
    this.#start = this.#end;
    if (reader.isOpen) return;
    this.#endless = undefined;
    this.#keep(bytes.subarray(at));
  }
}

function piecesOf(entries: readonly Entry[]): Pieces {
  return entries.flatMap(({ position, segment }) =>
    'bytes' in segment ? [{ position, bytes: segment.bytes }] : [],
  );
}
