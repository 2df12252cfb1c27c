import type { Entry, Segment } from '../packed-entries.js';
import { type Size, segmentsBetween } from '../packed-output.js';
import { viewOfBoth } from '../view-of-both.js';

/** The output of one range, where the terminal's history keeps it: it has no copy of its own. */
export class RangeOutput {
  readonly #size: Size;
  readonly #entries: Entry[] = [];
  #end: number;

  /** @param size - the screen's size at `start` */
  constructor(start: number, size: Size) {
    this.#end = start;
    this.#size = size;
  }

  append(bytes: Uint8Array): void {
    const last = this.#entries.at(-1);
    const both = last && 'bytes' in last.segment ? viewOfBoth(last.segment.bytes, bytes) : undefined;
    if (last && both) last.segment = { bytes: both };
    else this.#push({ bytes });
    this.#end += bytes.length;
  }

  resized(cols: number, rows: number): void {
    this.#push({ cols, rows });
  }

  /** Returns the output from position `begin` to `end`, and the screen's size at its beginning. */
  between(begin: number, end: number): { size: Size; segments: Segment[] } {
    return segmentsBetween(this.#entries, this.#size, begin, end);
  }

  #push(segment: Segment): void {
    this.#entries.push({ position: this.#end, segment });
  }
}
