import type { BufferInternals, LineInternals, RowList } from './internals.js';
import { packCells, unpackCells } from './row-codec.js';

/** Rows of a block, which is packed and unpacked as a whole. Some blocks are only partly in the scrollback. */
const BLOCK_ROWS = 16;

/** Most rows kept for reuse: lines that scroll out then make no garbage, which V8 would let gather to 64 MB. */
const SPARE_ROWS = BLOCK_ROWS;

/** Calls of {@link PackedRows.pack} without a read before rows are packed: who reads again soon finds them unpacked. */
const UNREAD_CALLS = 5;

/** Attributes and combined characters of a row, which few rows have. */
type Extras = Pick<LineInternals, '_combined' | '_extendedAttrs'>;

/** Packed rows of neighbouring places in xterm's ring of rows. */
interface Block {
  cells: Uint8Array;
  lengths: Uint16Array;
  isWrapped: boolean[];
  /** By row; undefined where a row has none. */
  extras: Array<Extras | undefined>;
}

/**
 * Packs the scrollback of a screen: a row of 100 cells takes xterm 1.6 KB, packed 100 bytes. xterm itself never looks
 * above the screen, except to resize. To xterm and to readers the rows seem to be there: an empty place of xterm's ring
 * stands for a packed row, which is unpacked when it is asked for. Of a row of the scrollback only `isWrapped` may be
 * changed: xterm does that when `CSI 1 J` erases to the end of a row, since it then takes a row of the screen for an
 * index of the list.
 */
export class PackedRows {
  readonly #buffer: BufferInternals;
  readonly #list: RowList;
  readonly #blocks = new Map<number, Block>();
  /** Block that was read last, unpacked. */
  #open: { index: number; rows: LineInternals[] } | undefined;
  /** Rows that were packed. xterm writes into them as it does into the first row of a full list. */
  #spare: LineInternals[] = [];
  /** Whether reads count: those of a checkpoint do not, since nothing follows them soon. */
  areReadsCounted = true;
  /** Whether the scrollback was read since the last call of {@link pack}. */
  #isRead = false;
  /** A screen that has just woken is packed at once: many of them unpacked would send each other to sleep again. */
  #unreadCalls = UNREAD_CALLS;
  #savedBytes = 0;

  constructor(buffer: BufferInternals) {
    this.#buffer = buffer;
    this.#list = buffer.lines;
    this.#install();
  }

  /** Whether these are the rows that the buffer has now: xterm begins with new ones when it is reset. */
  isOf(buffer: BufferInternals): boolean {
    return buffer === this.#buffer && buffer.lines === this.#list;
  }

  /** Bytes that packing saves: what xterm would need for these rows, minus their packed size. As of the last `pack`. */
  get savedBytes(): number {
    return this.#savedBytes;
  }

  /**
   * Packs what has scrolled out of the screen of `rows` rows, unless the scrollback was read lately. Call now and then,
   * between writes.
   */
  pack(rows: number): void {
    this.#closeBlock();
    this.#unreadCalls = this.#isRead ? 0 : this.#unreadCalls + 1;
    this.#isRead = false;
    const { _array: ring, length, maxLength } = this.#list;
    for (const index of this.#blocks.keys()) {
      if (this.#places(index).every((place) => ring[place])) this.#blocks.delete(index);
    }
    // The screen's rows are the last of the list, except where xterm has left rows out.
    if (this.#unreadCalls >= UNREAD_CALLS && length === this.#buffer.ybase + rows) {
      for (let index = 0; index * BLOCK_ROWS < maxLength; index++) {
        if (this.#isScrollback(index)) this.#packBlock(index);
      }
    }
    this.#savedBytes = this.#saved();
  }

  /** Unpacks all rows for good. Call before xterm moves or changes rows of the scrollback. */
  unpack(): void {
    for (const index of [...this.#blocks.keys()]) this.#unpackForGood(index);
    this.#spare = [];
    this.#unreadCalls = 0;
    this.#savedBytes = 0;
  }

  #install(): void {
    const list = this.#list;
    const { recycle, splice } = list;
    list.get = (index) => {
      if (index < this.#buffer.ybase && this.areReadsCounted) this.#isRead = true;
      const place = list._getCyclicIndex(index);
      return list._array[place] ?? this.#rowAt(place);
    };
    // xterm writes a whole row into the row that it gets.
    list.recycle = () => {
      const row = recycle.call(list);
      if (row) return row;
      const spare = this.#spare.pop() ?? this.#blankRow();
      list._array[list._getCyclicIndex(list.length - 1)] = spare;
      return spare;
    };
    list.splice = (start, count, ...rows) => {
      if (start < this.#buffer.ybase) this.unpack();
      splice.call(list, start, count, ...rows);
    };
  }

  /** Places of a block in xterm's ring. */
  #places(index: number): number[] {
    const begin = index * BLOCK_ROWS;
    const count = Math.min(BLOCK_ROWS, this.#list.maxLength - begin);
    return Array.from({ length: count }, (_, row) => begin + row);
  }

  /** Whether all rows of a block are there and in the scrollback. */
  #isScrollback(index: number): boolean {
    const { _array: ring, _startIndex: start, maxLength } = this.#list;
    return this.#places(index).every(
      (place) => ring[place] && (place + maxLength - (start % maxLength)) % maxLength < this.#buffer.ybase,
    );
  }

  #packBlock(index: number): void {
    const ring = this.#list._array;
    const rows = this.#places(index).map((place) => ring[place]!);
    const lengths = rows.map((row) => row._data.length);
    const words = new Uint32Array(lengths.reduce((sum, length) => sum + length, 0));
    let at = 0;
    for (const row of rows) {
      words.set(row._data, at);
      at += row._data.length;
    }
    const extras = rows.map(({ _combined, _extendedAttrs }) =>
      isEmpty(_combined) && isEmpty(_extendedAttrs) ? undefined : { _combined, _extendedAttrs },
    );
    this.#blocks.set(index, {
      cells: packCells(words),
      lengths: Uint16Array.from(lengths),
      isWrapped: rows.map(({ isWrapped }) => isWrapped),
      extras: extras.some((extra) => extra) ? extras : [],
    });
    for (const place of this.#places(index)) ring[place] = undefined;
    this.#spare = [...this.#spare, ...rows].slice(0, SPARE_ROWS);
  }

  /** Returns the row of a place that is empty; undefined if there never was a row. */
  #rowAt(place: number): LineInternals | undefined {
    const index = Math.floor(place / BLOCK_ROWS);
    const block = this.#blocks.get(index);
    if (!block) return undefined;
    if (this.#unreadCalls < UNREAD_CALLS && this.areReadsCounted) {
      this.#unpackForGood(index);
      return this.#list._array[place];
    }
    if (this.#open?.index === index) return this.#open.rows[place % BLOCK_ROWS];
    this.#closeBlock();
    this.#open = { index, rows: this.#rowsOf(block) };
    return this.#open.rows[place % BLOCK_ROWS];
  }

  /** Keeps what was changed in the block that was read last. */
  #closeBlock(): void {
    const block = this.#open && this.#blocks.get(this.#open.index);
    if (block) block.isWrapped = this.#open!.rows.map(({ isWrapped }) => isWrapped);
    this.#open = undefined;
  }

  #unpackForGood(index: number): void {
    this.#closeBlock();
    const ring = this.#list._array;
    const rows = this.#rowsOf(this.#blocks.get(index)!);
    this.#blocks.delete(index);
    this.#places(index).forEach((place, row) => {
      ring[place] ??= rows[row];
    });
  }

  #rowsOf({ cells, lengths, isWrapped, extras }: Block): LineInternals[] {
    const words = unpackCells(
      cells,
      lengths.reduce((sum, length) => sum + length, 0),
    );
    let at = 0;
    return Array.from(lengths, (length, row) => {
      // A copy: xterm widens a row within the buffer of its cells.
      const _data = words.slice(at, at + length);
      at += length;
      const state = { _data, length: length / 3, isWrapped: isWrapped[row], ...extras[row] };
      return Object.assign(this.#blankRow(), state);
    });
  }

  #blankRow(): LineInternals {
    const Row = this.#buffer.getBlankLine().constructor as new (cols: number) => LineInternals;
    return new Row(0);
  }

  #saved(): number {
    let bytes = 0;
    for (const [index, { cells, lengths }] of this.#blocks) {
      const isPacked = (row: number) => !this.#list._array[index * BLOCK_ROWS + row];
      lengths.forEach((length, row) => {
        if (isPacked(row)) bytes += length * Uint32Array.BYTES_PER_ELEMENT;
      });
      bytes -= cells.length;
    }
    return bytes;
  }
}

function isEmpty(record: object): boolean {
  for (const _ in record) return false;
  return true;
}
