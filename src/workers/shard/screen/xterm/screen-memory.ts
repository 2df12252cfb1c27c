import type { XtermInternals } from './internals.js';
import { PackedRows } from './packed-rows.js';

/** Memory of a screen without rows. */
const EMPTY_BYTES = 150 * 1024;

/** The memory of one xterm. */
export class ScreenMemory {
  readonly #core: XtermInternals;
  readonly #parser: { release: () => void };
  #packed: PackedRows | undefined;

  /** @param parser - frees the memory that large output took */
  constructor(core: XtermInternals, parser: { release: () => void }) {
    this.#core = core;
    this.#parser = parser;
  }

  /** Three 4-byte words a cell, and a fixed amount for xterm itself. */
  get bytes(): number {
    const { cols, buffers } = this.#core;
    const cells = cols * (buffers.normal.lines.length + buffers.alt.lines.length);
    return EMPTY_BYTES + 12 * cells - (this.#ofNormal?.savedBytes ?? 0);
  }

  /** Frees the memory that large output took, and counts the time in which the scrollback is not read. Call between writes. */
  age(): void {
    this.#parser.release();
    this.#packed = this.#ofNormal ?? new PackedRows(this.#core.buffers.normal);
    this.#packed.age();
  }

  /** Packs the scrollback if it is not read, for about 2 ms; returns whether there is more. Call between writes. */
  pack(): boolean {
    return this.#ofNormal?.pack(this.#core.rows) ?? false;
  }

  /** Sets whether reads keep the scrollback from being packed. */
  countReads(areCounted: boolean): void {
    if (this.#packed) this.#packed.areReadsCounted = areCounted;
  }

  /** Undoes {@link pack}. Call before xterm is resized. */
  unpack(): void {
    this.#packed?.unpack();
  }

  /** The packed rows, unless xterm was reset and has other rows since. */
  get #ofNormal(): PackedRows | undefined {
    return this.#packed?.isOf(this.#core.buffers.normal) ? this.#packed : undefined;
  }
}
