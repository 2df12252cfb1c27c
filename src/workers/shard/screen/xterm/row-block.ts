import type { LineInternals } from './internals.js';
import { packCells, unpackCells } from './row-codec.js';

/** Attributes and combined characters of a row, which few rows have. */
type Extras = Pick<LineInternals, '_combined' | '_extendedAttrs'>;

/** Neighbouring rows of xterm, at most 31, packed. */
export class RowBlock {
  /** Number of cells that were packed. */
  readonly cells: number;
  readonly #packed: Uint8Array;
  /** Length of each row in 4-byte words. */
  readonly #lengths: Uint16Array;
  #isWrapped: boolean[];
  /** By row; undefined where a row has none. */
  readonly #extras: Array<Extras | undefined>;
  /** Rows that are not lost, one bit each. */
  #left: number;
  #savedBytes: number;

  constructor(rows: readonly LineInternals[]) {
    const words = new Uint32Array(rows.reduce((sum, { _data }) => sum + _data.length, 0));
    let at = 0;
    for (const { _data } of rows) {
      words.set(_data, at);
      at += _data.length;
    }
    const extras = rows.map(({ _combined, _extendedAttrs }) =>
      isEmpty(_combined) && isEmpty(_extendedAttrs) ? undefined : { _combined, _extendedAttrs },
    );
    this.cells = words.length / 3;
    this.#packed = packCells(words);
    this.#lengths = Uint16Array.from(rows, ({ _data }) => _data.length);
    this.#isWrapped = rows.map(({ isWrapped }) => isWrapped);
    this.#extras = extras.some((extra) => extra) ? extras : [];
    this.#left = (1 << rows.length) - 1;
    this.#savedBytes = words.byteLength - this.#packed.length;
  }

  /** Bytes that xterm would need for the rows that are not lost, minus the bytes of the block. */
  get savedBytes(): number {
    return this.#savedBytes;
  }

  get isLost(): boolean {
    return this.#left === 0;
  }

  has(row: number): boolean {
    return (this.#left & (1 << row)) !== 0;
  }

  /** Notes that no reader can ask for a row again. */
  lose(row: number): void {
    if (!this.has(row)) return;
    this.#left &= ~(1 << row);
    this.#savedBytes -= this.#lengths[row]! * Uint32Array.BYTES_PER_ELEMENT;
  }

  /** Returns the rows, the lost ones too; `blank` makes a row of xterm. */
  unpack(blank: () => LineInternals): LineInternals[] {
    const words = unpackCells(
      this.#packed,
      this.#lengths.reduce((sum, length) => sum + length, 0),
    );
    let at = 0;
    return Array.from(this.#lengths, (length, row) => {
      // A copy: xterm widens a row within the buffer of its cells.
      const _data = words.slice(at, at + length);
      at += length;
      const state = { _data, length: length / 3, isWrapped: this.#isWrapped[row], ...this.#extras[row] };
      return Object.assign(blank(), state);
    });
  }

  /** Keeps `isWrapped`, the only state that xterm changes in unpacked rows. */
  keepWrapped(rows: readonly LineInternals[]): void {
    this.#isWrapped = rows.map(({ isWrapped }) => isWrapped);
  }
}

function isEmpty(record: object): boolean {
  for (const _ in record) return false;
  return true;
}
