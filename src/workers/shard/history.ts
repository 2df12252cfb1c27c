/** A stretch of what a terminal printed: raw bytes, or the resize that happened between them. */
export type Segment = { bytes: Uint8Array } | { cols: number; rows: number };

interface Entry {
  /** Bytes printed before this entry. */
  position: number;
  segment: Segment;
}

const LF = 0x0a;

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
    let dropped = 0;
    let start = this.#start;
    for (const entry of this.#entries) {
      if ('cols' in entry.segment) {
        this.#size = entry.segment;
      } else {
        const { bytes } = entry.segment;
        const excess = Math.max(0, this.#end - this.#capacity - entry.position);
        const lineEnd = excess < bytes.length ? bytes.indexOf(LF, excess) : -1;
        if (lineEnd !== -1) {
          entry.segment = { bytes: bytes.subarray(lineEnd + 1) };
          entry.position += lineEnd + 1;
          start = entry.position;
          break;
        }
        start = entry.position + bytes.length;
      }
      dropped++;
    }
    if (dropped === this.#entries.length) this.#block = undefined;
    this.#entries = this.#entries.slice(dropped);
    this.#start = start;
  }
}
