import { CR, LF } from '../../../ascii.js';
import { viewOfBoth } from '../../view-of-both.js';
import type { PrintPlace } from './column-counter.js';
import { type Cut, cutBefore, type Piece } from './cut.js';

/** Output that is kept outside of memory for a while. */
interface Away {
  bytes: number;
  lineFeeds: number;
  /** Returns the output. */
  recall: () => Uint8Array;
}

/** Output that is not parsed yet. All of it is plain (see {@link PlainScan}), except perhaps the last addition. */
export class ParseBacklog {
  #pieces: Piece[] = [];
  #bytes = 0;
  #lineFeeds = 0;
  /** Output that precedes the pieces. */
  #away: Away | undefined;
  #endsLine = false;

  get bytes(): number {
    return this.#bytes;
  }

  get lineFeeds(): number {
    return this.#lineFeeds;
  }

  /** Whether the last addition ends with CR LF. */
  get endsLine(): boolean {
    return this.#endsLine;
  }

  /** Appends `bytes` and keeps a reference: the caller must not change them afterwards. */
  add(bytes: Uint8Array, lineFeeds: number): void {
    this.#bytes += bytes.length;
    this.#lineFeeds += lineFeeds;
    this.#endsLine = bytes.at(-1) === LF && bytes.at(-2) === CR;
    const last = this.#pieces.at(-1);
    const both = last && viewOfBoth(last.bytes, bytes);
    if (!last || !both) {
      this.#pieces.push({ bytes, lineFeeds });
      return;
    }
    last.bytes = both;
    last.lineFeeds += lineFeeds;
  }

  /** Drops all output from memory; `recall` must return it in one piece. Missing bytes count as dropped. */
  leave(recall: () => Uint8Array): void {
    const { bytes, lineFeeds } = this;
    this.clear();
    this.#bytes = bytes;
    this.#lineFeeds = lineFeeds;
    if (bytes > 0) this.#away = { bytes, lineFeeds, recall };
  }

  /** Takes output back into memory that `leave` dropped. */
  recall(): void {
    if (!this.#away) return;
    const away = this.#away;
    this.#away = undefined;
    const bytes = away.recall();
    const isWhole = bytes.length === away.bytes;
    const lineFeeds = isWhole ? away.lineFeeds : countLineFeeds(bytes);
    this.#bytes += bytes.length - away.bytes;
    this.#lineFeeds += lineFeeds - away.lineFeeds;
    this.#pieces.unshift({ bytes, lineFeeds });
  }

  /** Returns all output, in order. */
  all(): Uint8Array[] {
    this.recall();
    return this.#pieces.map(({ bytes }) => bytes);
  }

  /** Returns at most `limit` bytes of the first piece. Throws when there is no piece. */
  first(limit: number): Uint8Array {
    this.recall();
    return this.#pieces[0]!.bytes.subarray(0, limit);
  }

  /** Drops `count` bytes of the first piece. */
  drop(count: number): void {
    const piece = this.#pieces[0]!;
    this.#bytes -= count;
    if (count < piece.bytes.length) {
      const dropped = countLineFeeds(piece.bytes.subarray(0, count));
      this.#lineFeeds -= dropped;
      piece.lineFeeds -= dropped;
      piece.bytes = piece.bytes.subarray(count);
      return;
    }
    this.#lineFeeds -= piece.lineFeeds;
    this.#pieces.shift();
    if (this.#pieces.length === 0) this.clear();
  }

  clear(): void {
    this.#away = undefined;
    this.#pieces = [];
    this.#bytes = 0;
    this.#lineFeeds = 0;
  }

  /**
   * Drops the output up to the last line feed that has at least `lines` line feeds after it. Undefined when there is no
   * such line feed, and where only a screen knows the column of the cursor after it.
   *
   * @param place - where the output begins
   */
  skipTo(lines: number, place: PrintPlace): Omit<Cut, 'index' | 'at'> | undefined {
    const cut = this.#cutBefore(lines, place);
    if (!cut) return undefined;
    for (const { bytes, lineFeeds } of this.#pieces.slice(0, cut.index)) {
      this.#bytes -= bytes.length;
      this.#lineFeeds -= lineFeeds;
    }
    this.#pieces = this.#pieces.slice(cut.index);
    this.drop(cut.at);
    return cut;
  }

  /** Returns the output that {@link skipTo} keeps. Drops nothing. */
  end(lines: number, place: PrintPlace): (Omit<Cut, 'index' | 'at'> & { parts: Uint8Array[] }) | undefined {
    const cut = this.#cutBefore(lines, place);
    if (!cut) return undefined;
    const parts = this.#pieces.slice(cut.index).map(({ bytes }) => bytes);
    parts[0] = parts[0]!.subarray(cut.at);
    return { parts, ...cut };
  }

  #cutBefore(lines: number, place: PrintPlace): Cut | undefined {
    this.recall();
    return cutBefore(this.#pieces, lines, place);
  }
}

function countLineFeeds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) count++;
  return count;
}
