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
    return EMPTY_BYTES + 12 * cells - (this.#packed?.savedBytes ?? 0);
  }

  /** Packs the scrollback if it is not read, and frees what large output took. Call now and then, between writes. */
  pack(): void {
    this.#parser.release();
    const { normal } = this.#core.buffers;
    if (!this.#packed?.isOf(normal)) this.#packed = new PackedRows(normal);
    this.#packed.pack(this.#core.rows);
  }

  /** Sets whether reads keep the scrollback from being packed. */
  countReads(areCounted: boolean): void {
    if (this.#packed) this.#packed.areReadsCounted = areCounted;
  }

  /** Undoes {@link pack}. Call before xterm is resized. */
  unpack(): void {
    this.#packed?.unpack();
  }
}
