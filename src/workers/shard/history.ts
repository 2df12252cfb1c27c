import { boundaryFrom, type Pieces, positionOf } from './boundary.js';
import {
  type Entry,
  joined,
  PACK_IN_MEMORY,
  PackedEntries,
  type PackOptions,
  type Segment,
} from './packed-entries.js';
import { EscapeReader } from './screen/escape-reader.js';

export type { Segment } from './packed-entries.js';

const LF = 0x0a;

/** Output that is to be dropped from within a line longer than this is cut where it comes. */
const LONG_LINE_BYTES = 64 * 1024;

/** Writes below this are gathered in blocks of this size: an entry for each keystroke would cost 50 times its bytes. */
const BLOCK_BYTES = 4096;

/** Less than this is kept as it is: deflating it saves no more than the packed form costs. */
const PACK_FROM_BYTES = 1024;

/**
 * The last stretch of a terminal's raw output, bounded in bytes, addressed by position (bytes printed since
 * the terminal began). What `?since=` reads.
 */
export class History {
  readonly #capacity: number;
  readonly #packing: PackOptions;
  /** What stands before the entries. */
  #packed: PackedEntries | undefined;
  #entries: Entry[] = [];
  #start: number;
  #end: number;
  /** Size of the screen at `#start`. */
  #size: { cols: number; rows: number };
  /** Where small writes gather: the last entry is a view of its first `used` bytes. */
  #block: { memory: Uint8Array; used: number; entry: Entry } | undefined;
  /** A sequence longer than all that may be kept, an image: nothing is kept before its end. */
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

  /** Takes `bytes` over: the caller does not change them afterwards. */
  append(bytes: Uint8Array): void {
    if (this.#endless) this.#dropEndless(bytes, this.#endless);
    else this.#keep(bytes);
    // A quarter above the bound, so that trimming is paid once in many writes.
    if (this.#end - this.#start > this.#capacity * 1.25) this.#trim();
  }

  resized(cols: number, rows: number): void {
    // Nothing is kept that it could stand between, nor will any of it be.
    if (this.#endless) this.#size = { cols, rows };
    else this.#push({ cols, rows });
  }

  /**
   * What was printed from position `begin` to `end`, with the screen's size at its beginning. `gap` is true when
   * output after `begin` has gone already; the segments then start with the oldest line that is left.
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
   * Takes as little memory as can be until more is printed: for a terminal that is quiet. What is read of it
   * meanwhile does not change that.
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

  /** Memory that the bytes kept here hold, with what lies unused around them. */
  get residentBytes(): number {
    const buffers = new Set(
      this.#entries.flatMap(({ segment }) => ('bytes' in segment ? [segment.bytes.buffer] : [])),
    );
    return [...buffers].reduce((sum, { byteLength }) => sum + byteLength, this.#packed?.residentBytes ?? 0);
  }

  /** Frees all of it. */
  close(): void {
    this.#dropPacked();
    this.#entries = [];
    this.#block = undefined;
  }

  /** All entries. Those that were packed stay so as long as nothing follows them. */
  #unpacked(): readonly Entry[] {
    const packed = this.#packed && this.#read(this.#packed);
    if (!packed) return this.#entries;
    if (this.#entries.length === 0) return packed;
    this.#dropPacked();
    this.#entries = [...packed, ...this.#entries];
    return this.#entries;
  }

  /** A disk that does not give back what it took costs the terminal its older output, and the shard nothing. */
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
    // A new view, since readers may still hold the shorter one.
    const begin = this.#end + bytes.length - block.used;
    const trimmed = Math.max(0, block.entry.position - begin);
    block.entry.segment = { bytes: block.memory.subarray(trimmed, block.used) };
  }

  /** Drops the oldest output down to the capacity, and then up to the end of a line, so that no sequence is cut. */
  #trim(): void {
    const entries = this.#unpacked();
    // So little is left where the rest could not be read back.
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
   * Position after the first line feed from `position` on that is in no sequence; in a very long line, of the first
   * byte that may begin anything.
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

  /** Keeps what comes after the end of the sequence, if that is among these bytes. */
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
