import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { NULL_CONTENT } from './internals.js';

/** Packs ten times faster than the next level, and nearly as well. */
const LEVEL = 1;

/** Most bytes of a word of 32 bits, in groups of 7 bits. */
const WORD_BYTES = 5;

/**
 * Packs cells, of three words each (content, fg, bg), into bytes: a run of cells with the same fg and bg is its length,
 * fg, bg, and the content of each cell; numbers are in groups of 7 bits. A coloured row of 100 cells takes 60 bytes.
 */
export function packCells(cells: Uint32Array): Uint8Array {
  const writer = new Words(cells.length);
  for (let at = 0; at < cells.length; ) {
    const fg = cells[at + 1]!;
    const bg = cells[at + 2]!;
    let end = at + 3;
    while (end < cells.length && cells[end + 1] === fg && cells[end + 2] === bg) end += 3;
    writer.add((end - at) / 3);
    writer.add(fg);
    writer.add(bg);
    // Most characters are one cell wide: without this, the width would take three bytes of each.
    for (; at < end; at += 3) writer.add((cells[at]! ^ NULL_CONTENT) >>> 0);
  }
  return Uint8Array.from(deflateRawSync(writer.bytes, { level: LEVEL }));
}

/** Returns `words` words that {@link packCells} has packed. */
export function unpackCells(packed: Uint8Array, words: number): Uint32Array {
  const bytes = inflateRawSync(packed);
  const cells = new Uint32Array(words);
  let from = 0;
  const next = () => {
    let word = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[from++]!;
      word |= (byte & 0x7f) << shift;
      if (byte < 0x80) return word >>> 0;
    }
  };
  for (let at = 0; at < words; ) {
    const end = at + 3 * next();
    const fg = next();
    const bg = next();
    for (; at < end; at += 3) {
      cells[at] = next() ^ NULL_CONTENT;
      cells[at + 1] = fg;
      cells[at + 2] = bg;
    }
  }
  return cells;
}

class Words {
  readonly #memory: Uint8Array;
  #used = 0;

  /** @param words - number of words that the cells have; lengths of runs add at most one word for each three */
  constructor(words: number) {
    this.#memory = new Uint8Array(WORD_BYTES * Math.ceil((words * 4) / 3));
  }

  get bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#used);
  }

  add(word: number): void {
    let rest = word;
    for (; rest >= 0x80; rest >>>= 7) this.#memory[this.#used++] = (rest & 0x7f) | 0x80;
    this.#memory[this.#used++] = rest;
  }
}
