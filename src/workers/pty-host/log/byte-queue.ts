/** Sizes of slabs. A quiet terminal has one small slab, a terminal that prints has pages, and a flood has large slabs. */
const MIN_SLAB_BYTES = 1024;
const PAGE_BYTES = 8 * 1024;
const MAX_SLAB_BYTES = 64 * 1024;

/** An empty slab is kept for further bytes only if it is at most this large. */
const KEEP_EMPTY_BYTES = 4 * 1024;

interface Slab {
  bytes: Buffer;
  start: number;
  end: number;
  /** Readers may still use views of this slab after its bytes have left the queue, so it is not reused. */
  isLent: boolean;
}

/** Most slabs of one size that are kept for other queues: 2 MiB each, more than one flood needs. */
const MAX_SPARE_BYTES = 2 * 1024 * 1024;

/**
 * Keeps used pages and large slabs for other queues. Without reuse, a flood would make V8 collect 60 MB of slabs a second,
 * and slabs that calm terminals give up, 110 KB for each terminal, would wait for a collection of the whole heap.
 */
export class SpareSlabs {
  readonly #slabs = new Map<number, Buffer[]>([
    [PAGE_BYTES, []],
    [MAX_SLAB_BYTES, []],
  ]);

  take(size: number): Buffer | undefined {
    return this.#slabs.get(size)?.pop();
  }

  give(slab: Buffer): void {
    const spare = this.#slabs.get(slab.length);
    if (spare && (spare.length + 1) * slab.length <= MAX_SPARE_BYTES) spare.push(slab);
  }
}

/**
 * Queue of bytes that are appended at the back in pieces of any size and dropped at the front. Bytes are copied once,
 * into slabs, so a million one-byte pieces cost one megabyte. Views stay valid until their bytes are dropped; after
 * `lend()`, they stay valid for as long as somebody holds them.
 */
export class ByteQueue {
  readonly #spare: SpareSlabs | undefined;
  #slabs: Slab[] = [];
  #length = 0;

  /** @param spare - source and destination of slabs; without it, each slab is used once */
  constructor(spare?: SpareSlabs) {
    this.#spare = spare;
  }

  get length(): number {
    return this.#length;
  }

  append(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      const slab = this.#tail(bytes.length - at);
      const count = Math.min(slab.bytes.length - slab.end, bytes.length - at);
      slab.bytes.set(count === bytes.length ? bytes : bytes.subarray(at, at + count), slab.end);
      slab.end += count;
      this.#length += count;
      at += count;
    }
  }

  /** Drops `count` bytes from the front, or all if there are fewer. */
  drop(count: number): void {
    let left = Math.min(count, this.#length);
    this.#length -= left;
    let gone = 0;
    for (const slab of this.#slabs) {
      const here = Math.min(left, slab.end - slab.start);
      slab.start += here;
      left -= here;
      if (slab.start < slab.end) break;
      gone += 1;
    }
    for (const slab of this.#slabs.slice(0, gone)) this.#giveBack(slab);
    const last = this.#slabs.at(-1);
    const keepLast = gone === this.#slabs.length && last && last.bytes.length <= KEEP_EMPTY_BYTES;
    this.#slabs.splice(0, keepLast ? gone - 1 : gone);
  }

  /** Keeps views of the present contents valid for as long as somebody holds them, even after the bytes are dropped. */
  lend(): void {
    for (const slab of this.#slabs) slab.isLent = true;
  }

  #giveBack({ bytes, end, isLent }: Slab): void {
    if (!isLent && end === bytes.length) this.#spare?.give(bytes);
  }

  /** Returns views of at most `max` bytes from `offset` on, in order. */
  views(offset: number, max: number): Buffer[] {
    const views: Buffer[] = [];
    let skip = offset;
    let left = Math.min(max, this.#length - offset);
    for (const slab of this.#slabs) {
      if (left <= 0) break;
      const here = slab.end - slab.start;
      if (skip >= here) {
        skip -= here;
        continue;
      }
      const start = slab.start + skip;
      const view = slab.bytes.subarray(start, Math.min(slab.end, start + left));
      views.push(view);
      left -= view.length;
      skip = 0;
    }
    return views;
  }

  clear(): void {
    this.#slabs = [];
    this.#length = 0;
  }

  #tail(incoming: number): Slab {
    const last = this.#slabs.at(-1);
    if (last && last.end < last.bytes.length) return last;
    const size = slabFor(Math.max(incoming, this.#length));
    const spare = this.#spare?.take(size);
    // Not from Node's shared pool, where a few bytes kept here would retain 8 KiB.
    const slab: Slab = { bytes: spare ?? Buffer.allocUnsafeSlow(size), start: 0, end: 0, isLent: false };
    this.#slabs.push(slab);
    return slab;
  }
}

/** Returns the size of the next slab of a queue that has, or is about to get, this many bytes. */
function slabFor(bytes: number): number {
  if (bytes > PAGE_BYTES / 2) return bytes < MAX_SLAB_BYTES ? PAGE_BYTES : MAX_SLAB_BYTES;
  return Math.max(MIN_SLAB_BYTES, bytes);
}
