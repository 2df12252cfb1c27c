import { SWEEP_MS } from '../../../contract/limits.js';
import type { Epoll } from './epoll.js';

/** Reads are counted for this long. */
const WINDOW_MS = 250;
/** Reads in a window from which sweeping begins, and below which it ends. */
const MANY_READS = 100;
const FEW_READS = 50;

/** A reader that can be swept. */
export interface Swept {
  readonly fd: number;
  /** Reads the available output. */
  swept(): void;
  /** Called when the event loop is to watch the descriptor again. */
  unswept(): void;
}

/**
 * Reads PTYs that print a little, where there are many of them, all at once every SWEEP_MS. In the event loop, each of
 * their writes would wake the host, which takes longer than the read.
 */
export class Sweep {
  readonly #epoll: Epoll | undefined;
  readonly #now: () => number;
  readonly #readers = new Map<number, Swept>();
  #timer: NodeJS.Timeout | undefined;
  #windowEnds = 0;
  #reads = 0;
  /** Whether the window before had many reads. */
  #isMany = false;

  /** @param epoll - undefined where there is none: then nothing is swept */
  constructor(epoll: Epoll | undefined, now: () => number = () => performance.now()) {
    this.#epoll = epoll;
    this.#now = now;
  }

  /** Counts a read of a few bytes. Returns whether there are so many that its PTY should be swept. */
  counts(): boolean {
    const now = this.#now();
    if (now >= this.#windowEnds) {
      this.#isMany = this.#reads >= (this.#isMany ? FEW_READS : MANY_READS);
      this.#reads = 0;
      this.#windowEnds = now + WINDOW_MS;
    }
    this.#reads++;
    return this.#isMany;
  }

  /** Takes over the reading of a PTY, which the event loop must not watch meanwhile. Returns false if it cannot. */
  add(reader: Swept): boolean {
    if (!this.#epoll?.add(reader.fd)) return false;
    this.#readers.set(reader.fd, reader);
    this.#timer ??= setTimeout(() => this.#sweep(), SWEEP_MS);
    return true;
  }

  remove(reader: Swept): void {
    if (this.#readers.delete(reader.fd)) this.#epoll?.remove(reader.fd);
  }

  #sweep(): void {
    // First, so that the sweep goes on even if a reader throws.
    this.#timer = this.#readers.size > 0 ? setTimeout(() => this.#sweep(), SWEEP_MS) : undefined;
    for (const fd of this.#epoll?.ready() ?? []) this.#readers.get(fd)?.swept();
    if (!this.#areMany()) for (const reader of [...this.#readers.values()]) reader.unswept();
  }

  /** Nothing may have been read, and so not counted, for a whole window. */
  #areMany(): boolean {
    return this.#isMany && this.#now() < this.#windowEnds + WINDOW_MS;
  }
}
