import type { Segment } from './history.js';

interface Size {
  cols: number;
  rows: number;
}

interface Piece {
  position: number;
  bytes: Uint8Array;
}

interface Resize extends Size {
  position: number;
}

/** A part of a terminal's output, addressed by position, with the resizes in it. */
export class OutputBytes {
  /** Position of the first byte. */
  readonly begin: number;
  /** Position after the last byte. */
  readonly end: number;
  readonly #size: Size;
  readonly #pieces: Piece[] = [];
  readonly #resizes: Resize[] = [];

  /** @param size - the screen's size at the beginning */
  constructor(segments: readonly Segment[], end: number, size: Size) {
    this.end = end;
    this.#size = size;
    const length = segments.reduce((sum, part) => sum + ('bytes' in part ? part.bytes.length : 0), 0);
    this.begin = end - length;
    let position = this.begin;
    for (const segment of segments) {
      if (!('bytes' in segment)) {
        this.#resizes.push({ position, cols: segment.cols, rows: segment.rows });
        continue;
      }
      this.#pieces.push({ position, bytes: segment.bytes });
      position += segment.bytes.length;
    }
  }

  get pieces(): readonly Piece[] {
    return this.#pieces;
  }

  /** Returns the bytes and the resizes from position `from` to `to`. */
  between(from: number, to: number): Segment[] {
    const segments: Segment[] = [];
    const resizes = this.#resizes.filter(({ position }) => position > from && position < to);
    for (const { position, bytes } of this.#pieces) {
      const end = Math.min(to, position + bytes.length);
      let at = Math.max(from, position);
      if (at >= end) continue;
      while (resizes[0] && resizes[0].position < end) {
        const { position: place, cols, rows } = resizes.shift()!;
        if (place > at) segments.push({ bytes: bytes.subarray(at - position, place - position) });
        segments.push({ cols, rows });
        at = place;
      }
      segments.push({ bytes: bytes.subarray(at - position, end - position) });
    }
    return segments;
  }

  /** Returns the screen's size once the output before `position` is printed. */
  sizeAt(position: number): Size {
    const { cols, rows } = this.#resizes.findLast((resize) => resize.position <= position) ?? this.#size;
    return { cols, rows };
  }

  /** Returns whether the screen was resized after `from`, up to and including `to`. */
  isResizedBetween(from: number, to: number): boolean {
    return this.#resizes.some(({ position }) => position > from && position <= to);
  }
}
