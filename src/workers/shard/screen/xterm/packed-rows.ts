import { Pace } from '../../steps.js';
import type { BufferInternals, LineInternals, RowList } from './internals.js';
import { RowBlock } from './row-block.js';

/** Rows of a block, which is packed and unpacked as a whole. Some blocks are only partly in the scrollback. */
const BLOCK_ROWS = 16;

/** Most rows kept for reuse: lines that scroll out then make no garbage, which V8 would let gather to 64 MB. */
const SPARE_ROWS = BLOCK_ROWS;

/** Calls of {@link PackedRows.age} without a read before rows are packed: a second read soon after finds them unpacked. */
const UNREAD_CALLS = 5;

/**
 * Packs the scrollback of a screen: a row of 100 cells takes xterm 1.6 KB, packed 100 bytes. xterm itself hardly looks
 * above the screen, except to resize. To xterm and to readers the rows seem to be there: an empty place of xterm's ring
 * is the place of a packed row, which is unpacked when it is read. Of a row of the scrollback only `isWrapped` may be
 * changed: xterm does that when `CSI 1 J` erases to the end of a row, since it then takes a row of the screen for an
 * index of the list.
 */
export class PackedRows {
  readonly #buffer: BufferInternals;
  readonly #list: RowList;
  readonly #blocks = new Map<number, RowBlock>();
  /** Block that was read last, unpacked. */
  #open: { block: RowBlock; rows: LineInternals[] } | undefined;
  /** Rows that were packed. xterm writes into them as it does into the first row of a full list. */
  #spare: LineInternals[] = [];
  /** Whether reads count: reads for a checkpoint do not, since no others follow them soon. */
  areReadsCounted = true;
  /** Whether the scrollback was read since the last call of {@link age}. */
  #isRead = false;
  /** A screen that has just woken is packed at once: many unpacked screens would send each other to sleep again. */
  #unreadCalls = UNREAD_CALLS;
  #savedBytes = 0;

  constructor(buffer: BufferInternals) {
    this.#buffer = buffer;
    this.#list = buffer.lines;
    this.#install();
  }

  /** Returns whether these are the rows that the buffer has now: xterm begins with new rows when it is reset. */
  isOf(buffer: BufferInternals): boolean {
    return buffer === this.#buffer && buffer.lines === this.#list;
  }

  /** Bytes that packing saves: what xterm would need for these rows, minus their packed size. */
  get savedBytes(): number {
    return this.#savedBytes;
  }

  /** Notes that time has passed: rows that stay unread for some calls are then packed. Call between writes. */
  age(): void {
    this.#closeBlock();
    this.#unreadCalls = this.#isRead ? 0 : this.#unreadCalls + 1;
    this.#isRead = false;
  }

  /**
   * Packs the rows that have scrolled out of the screen of `rows` rows, unless the scrollback was read lately. Ends
   * after about 2 ms (10,000 rows take 60 ms in all), and returns whether there is more. Call between writes.
   */
  pack(rows: number): boolean {
    const { length, maxLength } = this.#list;
    // The screen's rows are the last of the list, except where xterm has left rows out.
    const isUnread = this.#unreadCalls >= UNREAD_CALLS;
    if (!isUnread || this.#buffer.ybase < BLOCK_ROWS || length !== this.#buffer.ybase + rows) return false;
    const pace = new Pace();
    for (let index = 0; index * BLOCK_ROWS < maxLength; index++) {
      if (this.#isScrollback(index) && pace.isOver(this.#packBlock(index))) return true;
    }
    return false;
  }

  /** Unpacks all rows for good. Call before xterm moves or changes rows of the scrollback. */
  unpack(): void {
    for (const index of [...this.#blocks.keys()]) this.#unpackForGood(index);
    this.#spare = [];
    this.#unreadCalls = 0;
  }

  #install(): void {
    const list = this.#list;
    const { recycle, splice, trimStart } = list;
    list.get = (index) => {
      if (index < this.#buffer.ybase && this.areReadsCounted) this.#isRead = true;
      const place = list._getCyclicIndex(index);
      return list._array[place] ?? this.#rowAt(place);
    };
    // xterm overwrites the whole of a recycled row, so its cells need no reset.
    list.recycle = () => {
      const row = recycle.call(list);
      if (row) return row;
      const spare = this.#spare.pop() ?? this.#blankRow();
      const place = list._getCyclicIndex(list.length - 1);
      list._array[place] = spare;
      this.#lose(place);
      return spare;
    };
    list.splice = (start, count, ...rows) => {
      if (start < this.#buffer.ybase) this.unpack();
      splice.call(list, start, count, ...rows);
      // In a full ring the last rows have taken the places of the first ones.
      for (let row = 1; row <= rows.length; row++) this.#lose(list._getCyclicIndex(list.length - row));
    };
    list.trimStart = (count) => {
      const places = Array.from({ length: count }, (_, row) => list._getCyclicIndex(row));
      trimStart.call(list, count);
      for (const place of places) this.#lose(place);
    };
  }

  /** Returns the places of a block in xterm's ring. */
  #places(index: number): number[] {
    const begin = index * BLOCK_ROWS;
    const count = Math.min(BLOCK_ROWS, this.#list.maxLength - begin);
    return Array.from({ length: count }, (_, row) => begin + row);
  }

  /** Returns whether all rows of a block are there and in the scrollback. Called for each block every two seconds. */
  #isScrollback(index: number): boolean {
    const { _array: ring, _startIndex: start, maxLength } = this.#list;
    const first = start % maxLength;
    const end = Math.min((index + 1) * BLOCK_ROWS, maxLength);
    for (let place = index * BLOCK_ROWS; place < end; place++) {
      const isAbove = (place + maxLength - first) % maxLength < this.#buffer.ybase;
      if (!isAbove || !ring[place]) return false;
    }
    return true;
  }

  /** Packs a block and returns its number of cells. */
  #packBlock(index: number): number {
    const ring = this.#list._array;
    const rows = this.#places(index).map((place) => ring[place]!);
    const block = new RowBlock(rows);
    this.#blocks.set(index, block);
    this.#savedBytes += block.savedBytes;
    for (const place of this.#places(index)) ring[place] = undefined;
    this.#spare = [...this.#spare, ...rows].slice(0, SPARE_ROWS);
    return block.cells;
  }

  /** Forgets the packed row of a place that now has another row, or none. */
  #lose(place: number): void {
    const block = this.#blocks.get(blockOf(place));
    if (!block) return;
    this.#savedBytes -= block.savedBytes;
    block.lose(place % BLOCK_ROWS);
    if (block.isLost) this.#blocks.delete(blockOf(place));
    else this.#savedBytes += block.savedBytes;
  }

  /** Returns the row of a place that is empty; undefined if there is no row. */
  #rowAt(place: number): LineInternals | undefined {
    const block = this.#blocks.get(blockOf(place));
    const row = place % BLOCK_ROWS;
    if (!block?.has(row)) return undefined;
    if (this.#unreadCalls < UNREAD_CALLS && this.areReadsCounted) {
      this.#unpackForGood(blockOf(place));
      return this.#list._array[place];
    }
    if (this.#open?.block === block) return this.#open.rows[row];
    this.#closeBlock();
    this.#open = { block, rows: block.unpack(() => this.#blankRow()) };
    return this.#open.rows[row];
  }

  /** Keeps the changes in the block that was read last. */
  #closeBlock(): void {
    this.#open?.block.keepWrapped(this.#open.rows);
    this.#open = undefined;
  }

  #unpackForGood(index: number): void {
    this.#closeBlock();
    const block = this.#blocks.get(index);
    if (!block) return;
    this.#blocks.delete(index);
    this.#savedBytes -= block.savedBytes;
    const rows = block.unpack(() => this.#blankRow());
    this.#places(index).forEach((place, row) => {
      if (block.has(row)) this.#list._array[place] = rows[row];
    });
  }

  #blankRow(): LineInternals {
    const Row = this.#buffer.getBlankLine().constructor as new (cols: number) => LineInternals;
    return new Row(0);
  }
}

/** Returns the index of the block that a place of the ring belongs to. */
function blockOf(place: number): number {
  return Math.floor(place / BLOCK_ROWS);
}
