import { ESC } from '../../ascii.js';
import type { Entry, Segment } from '../packed-entries.js';
import { type Size, segmentsBetween } from '../packed-output.js';
import { Redraws } from '../screen/backlog/redraws.js';
import { viewOfBoth } from '../view-of-both.js';

/**
 * The output of one range, without a copy: its bytes are in the memory of the terminal's history. Of a program that
 * redraws the same rows again and again it has the first redraw and the last, which print the same as all of them.
 */
export class RangeOutput {
  readonly #size: Size;
  readonly #entries: Entry[] = [];
  readonly #redraws: Redraws;
  /** Whether the last entry is a redraw, which the next redraw can replace. */
  #isRedraw = false;
  /** Whether some output may have set margins. */
  #mayHaveMargins = false;
  #end: number;

  /** @param size - the screen's size at `start` */
  constructor(start: number, size: Size) {
    this.#end = start;
    this.#size = size;
    this.#redraws = new Redraws(size);
  }

  append(bytes: Uint8Array): void {
    const isRepeated = this.#redraws.repeats(bytes) && !this.#mayHaveMargins;
    this.#mayHaveMargins ||= !this.#redraws.isRedraw && bytes.includes(ESC);
    const last = this.#entries.at(-1);
    if (last && isRepeated && this.#isRedraw)
      Object.assign(last, { position: this.#end, segment: { bytes } });
    else if (isRepeated) this.#push({ bytes });
    else this.#add(bytes, last);
    this.#isRedraw = isRepeated;
    this.#end += bytes.length;
  }

  resized(cols: number, rows: number): void {
    this.#push({ cols, rows });
    this.#redraws.begin({ cols, rows });
    this.#isRedraw = false;
  }

  /** Returns the output from position `begin` to `end`, and the screen's size at its beginning. */
  between(begin: number, end: number): { size: Size; segments: Segment[] } {
    return segmentsBetween(this.#entries, this.#size, begin, end);
  }

  #add(bytes: Uint8Array, last: Entry | undefined): void {
    const both = last && 'bytes' in last.segment ? viewOfBoth(last.segment.bytes, bytes) : undefined;
    if (last && both) last.segment = { bytes: both };
    else this.#push({ bytes });
  }

  #push(segment: Segment): void {
    this.#entries.push({ position: this.#end, segment });
  }
}
