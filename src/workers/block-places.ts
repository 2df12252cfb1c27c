/** A range of blocks. */
interface Extent {
  at: number;
  count: number;
}

/** Manages the free blocks of a file. Freed blocks are reused before the file grows. */
export class BlockPlaces {
  /** Free ranges before the end, in order. No two ranges touch, and the last does not touch the end. */
  readonly #free: Extent[] = [];
  #end = 0;

  /** The block after the last one in use. */
  get end(): number {
    return this.#end;
  }

  /** Takes `count` blocks in a row, at least one, from the smallest range that fits. Returns the first block. */
  take(count: number): number {
    let best: Extent | undefined;
    for (const extent of this.#free) {
      if (extent.count >= count && (!best || extent.count < best.count)) best = extent;
    }
    if (!best) {
      this.#end += count;
      return this.#end - count;
    }
    const { at } = best;
    best.at += count;
    best.count -= count;
    if (best.count === 0) this.#free.splice(this.#free.indexOf(best), 1);
    return at;
  }

  /** Gives back blocks from {@link take}. */
  give(at: number, count: number): void {
    const index = this.#indexAfter(at);
    const before = this.#free[index - 1];
    const after = this.#free[index];
    const joinsBefore = before !== undefined && before.at + before.count === at;
    const joinsAfter = after !== undefined && at + count === after.at;
    const begin = joinsBefore ? before.at : at;
    const end = joinsAfter ? after.at + after.count : at + count;
    const first = joinsBefore ? index - 1 : index;
    const joined = Number(joinsBefore) + Number(joinsAfter);
    if (end < this.#end) {
      this.#free.splice(first, joined, { at: begin, count: end - begin });
    } else {
      this.#free.splice(first, joined);
      this.#end = begin;
    }
  }

  /** Returns the index of the first free range behind a block. */
  #indexAfter(block: number): number {
    let low = 0;
    let high = this.#free.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#free[middle]!.at > block) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
