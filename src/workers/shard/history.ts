/** A stretch of what a terminal printed: raw bytes, or the resize that happened between them. */
export type Segment = { bytes: Uint8Array } | { cols: number; rows: number };

interface Entry {
  /** Bytes printed before this entry. */
  position: number;
  segment: Segment;
}

const LF = 0x0a;

/** Output that is to be dropped from within a line longer than this is cut where it comes. */
const LONG_LINE_BYTES = 64 * 1024;

/** Writes below this are gathered in blocks of this size: an entry for each keystroke would cost 50 times its bytes. */
const BLOCK_BYTES = 4096;

/**
 * The last stretch of a terminal's raw output, bounded in bytes, addressed by position (bytes printed since
 * the terminal began). What `?since=` reads.
 */
export class History {
  readonly #capacity: number;
  #entries: Entry[] = [];
  #start: number;
  #end: number;
  /** Size of the screen at `#start`. */
  #size: { cols: number; rows: number };
  /** Where small writes gather: the last entry is a view of its first `used` bytes. */
  #block: { memory: Uint8Array; used: number; entry: Entry } | undefined;

  constructor(capacity: number, start: number, size: { cols: number; rows: number }) {
    this.#capacity = capacity;
    this.#start = start;
    this.#end = start;
    this.#size = size;
  }

  /** Takes `bytes` over: the caller does not change them afterwards. */
  append(bytes: Uint8Array): void {
    if (bytes.length < BLOCK_BYTES) this.#gather(bytes);
    else this.#push({ bytes });
    this.#end += bytes.length;
    // A quarter above the bound, so that trimming is paid once in many writes.
    if (this.#end - this.#start > this.#capacity * 1.25) this.#trim();
  }

  resized(cols: number, rows: number): void {
    this.#push({ cols, rows });
  }

  /**
   * What was printed from position `begin` to `end`, with the screen's size at its beginning. `gap` is true when
   * output after `begin` has gone already; the segments then start with the oldest line that is left.
   */
  between(
    begin: number,
    end: number,
  ): { gap: boolean; size: { cols: number; rows: number }; segments: Segment[] } {
    let size = this.#size;
    const segments: Segment[] = [];
    for (const { position, segment } of this.#entries) {
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
    const cut = this.#lineEndAfter(this.#end - this.#capacity);
    let dropped = 0;
    for (const entry of this.#entries) {
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
    if (dropped === this.#entries.length) this.#block = undefined;
    this.#entries = this.#entries.slice(dropped);
    this.#start = cut;
  }

  /** Position after the first line feed from `position` on; in a very long line, of the next character. */
  #lineEndAfter(position: number): number {
    let character: number | undefined;
    for (const { position: begin, segment } of this.#entries) {
      if ('cols' in segment || begin + segment.bytes.length <= position) continue;
      if (begin > position + LONG_LINE_BYTES) break;
      const near = segment.bytes.subarray(0, position + LONG_LINE_BYTES - begin);
      const from = Math.max(0, position - begin);
      const lineEnd = near.indexOf(LF, from);
      if (lineEnd !== -1) return begin + lineEnd + 1;
      const next = nextCharacter(near, from);
      if (next < near.length) character ??= begin + next;
    }
    return character ?? this.#end;
  }
}

/** Index of the first byte from `from` on that does not continue a character. */
function nextCharacter(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at]! & 0xc0) === 0x80) at++;
  return at;
}
