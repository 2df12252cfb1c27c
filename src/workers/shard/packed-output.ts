import { ESC } from '../ascii.js';
import { type Entry, PackedEntries, type PackOptions, type Segment } from './packed-entries.js';

export interface Size {
  cols: number;
  rows: number;
}

/** The older part of a terminal's raw output, in deflated pieces without a gap between them. */
export class PackedOutput {
  readonly #options: PackOptions;
  /** Oldest first. The first piece may begin before `#start`. */
  #pieces: PackedEntries[] = [];
  #start: number;
  /** The screen's size at `#start`. */
  #size: Size;
  /** Whether output before `#start` was dropped. */
  #isCut = false;

  /** @param size - the screen's size at `start` */
  constructor(options: PackOptions, start: number, size: Size) {
    this.#options = options;
    this.#start = start;
    this.#size = size;
  }

  /** Position of the first byte that is kept; of the next byte if nothing is. */
  get start(): number {
    return this.#start;
  }

  /** Position after the last byte. */
  get end(): number {
    return this.#pieces.at(-1)?.end ?? this.#start;
  }

  /** Memory in bytes that the deflated pieces take. */
  get residentBytes(): number {
    return this.#pieces.reduce((sum, piece) => sum + piece.residentBytes, 0);
  }

  /**
   * Appends entries in pieces of `pieceBytes` or up to twice that. If the last piece from before is shorter, it is
   * deflated anew together with them.
   */
  append(entries: readonly Entry[], pieceBytes: number): void {
    let all = entries;
    for (let last = this.#pieces.at(-1); last && last.length < pieceBytes; last = this.#pieces.at(-1)) {
      const older = this.#read(last);
      if (!older) break;
      this.#pieces.pop()?.free();
      all = [...older, ...all];
    }
    for (const part of partsOf(all, pieceBytes)) {
      this.#pieces.push(new PackedEntries(part, this.#options.spill));
    }
  }

  /** Returns the entries of the pieces that overlap the range, and the screen's size where they begin. */
  between(begin: number, end: number): { entries: Entry[]; size: Size } {
    let size = this.#size;
    let entries: Entry[] = [];
    for (const piece of [...this.#pieces]) {
      if (piece.start > end) break;
      if (piece.end <= begin) {
        size = piece.size ?? size;
        continue;
      }
      const read = this.#read(piece);
      entries = read ? [...entries, ...read] : [];
      if (!read) size = this.#size;
    }
    return { entries, size };
  }

  /**
   * Returns the entries from `position` on, and before it at least the entries of a sequence that is open there: an
   * ESC begins a sequence in any state, so nothing before it matters.
   */
  around(position: number): Entry[] {
    const { entries } = this.between(position, Number.POSITIVE_INFINITY);
    for (const piece of this.#pieces.filter(({ end }) => end <= position).reverse()) {
      if (hasEscape(entries, position)) break;
      const read = this.#read(piece);
      if (!read) break;
      entries.unshift(...read);
    }
    return entries;
  }

  /** Drops the output before `start`. The screen's size there is `size`, else that after the last resize before it. */
  startAt(start: number, size?: Size): void {
    const resizes = this.#pieces.flatMap((piece) => piece.resizes);
    this.#size = size ?? sizeAt(resizes, start) ?? this.#size;
    this.#start = start;
    this.#isCut = true;
    const kept = this.#pieces.findIndex(({ end }) => end > start);
    for (const piece of this.#pieces.splice(0, kept === -1 ? this.#pieces.length : kept)) piece.free();
  }

  /** Frees all pieces. */
  free(): void {
    for (const piece of this.#pieces.splice(0)) piece.free();
  }

  /**
   * Returns the entries of a piece as far as they are kept. If the disk fails, that piece and all before it are lost,
   * and the terminal's newer output stays; the shard keeps running.
   */
  #read(piece: PackedEntries): Entry[] | undefined {
    try {
      const entries = piece.entries();
      return this.#isCut ? entriesFrom(entries, this.#start) : entries;
    } catch (error) {
      this.startAt(piece.end);
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.fault(new Error(`older output could not be read back: ${reason}`, { cause: error }));
      return undefined;
    }
  }
}

/**
 * Returns the entries that remain of `entries` after a cut at `start`, where an earlier resize is already in force.
 * Changes the entry that the cut goes through.
 */
export function entriesFrom(entries: readonly Entry[], start: number): Entry[] {
  return entries.filter((entry) => {
    const { position, segment } = entry;
    if (position > start) return true;
    if ('cols' in segment || position + segment.bytes.length <= start) return false;
    entry.segment = { bytes: segment.bytes.subarray(start - position) };
    entry.position = start;
    return true;
  });
}

/** Returns the screen's size after the last resize at or before `position`; undefined if there is none. */
export function sizeAt(entries: readonly Entry[], position: number): Size | undefined {
  for (const entry of [...entries].reverse()) {
    if ('cols' in entry.segment && entry.position <= position) return entry.segment;
  }
  return undefined;
}

/**
 * Returns the output and resizes of entries from position `begin` to `end`, and the screen's size at its beginning.
 *
 * @param first - the screen's size before the entries
 */
export function segmentsBetween(
  entries: readonly Entry[],
  first: Size,
  begin: number,
  end: number,
): { size: Size; segments: Segment[] } {
  let size = first;
  const segments: Segment[] = [];
  for (const { position, segment } of entries) {
    if (position > end) break;
    if ('cols' in segment) {
      if (position <= begin) size = segment;
      else segments.push(segment);
      continue;
    }
    const bytes = segment.bytes.subarray(Math.max(0, begin - position), Math.max(0, end - position));
    if (bytes.length > 0) segments.push({ bytes });
  }
  return { size: { cols: size.cols, rows: size.rows }, segments };
}

function hasEscape(entries: readonly Entry[], before: number): boolean {
  return entries.some(
    ({ position, segment }) =>
      'bytes' in segment && segment.bytes.subarray(0, Math.max(0, before - position)).includes(ESC),
  );
}

/** Splits entries into parts of `partBytes`; the last part may be up to twice as long. */
function partsOf(entries: readonly Entry[], partBytes: number): Entry[][] {
  const parts: Entry[][] = [];
  let part: Entry[] = [];
  let left = entries.reduce((sum, { segment }) => sum + ('bytes' in segment ? segment.bytes.length : 0), 0);
  let room = left < 2 * partBytes ? left : partBytes;
  for (const { position, segment } of entries) {
    if ('cols' in segment) {
      part.push({ position, segment });
      continue;
    }
    for (let at = 0; at < segment.bytes.length; ) {
      if (room === 0) {
        parts.push(part);
        part = [];
        room = left < 2 * partBytes ? left : partBytes;
      }
      const bytes = segment.bytes.subarray(at, at + room);
      part.push({ position: position + at, segment: { bytes } });
      at += bytes.length;
      room -= bytes.length;
      left -= bytes.length;
    }
  }
  if (part.length > 0) parts.push(part);
  return parts;
}
