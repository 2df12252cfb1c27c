import { MAX_MATCH_TEXT_CHARS, MAX_WATCHED_LINE_CHARS } from '../../../contract/limits.js';
import { BREAK } from '../screen/text/text-stream.js';
import type { Literals } from './literals.js';

/** Ends a line: the next one begins, or the cursor was moved. */
const LINE_END = /[\n\0]/g;

/** A search for lines with a text. */
export interface LineOwner {
  /** Whether it wants each line with its text once the line is complete, rather than as soon as the text is there. */
  isWhole: boolean;
}

/** A line that contains a text. */
export interface LineMatch<Owner> {
  owner: Owner;
  /** Number of the line: no other line of the terminal has it. */
  line: number;
  /** The line, as far as it has come. */
  text: string;
}

/**
 * Finds lines with certain texts in text that comes in pieces, cut anywhere. Each line is found once for each owner,
 * however the pieces are cut and however often the text is in the line.
 */
export class LineMatches<Owner extends LineOwner> {
  #literals: Literals<Owner> | undefined;
  /** The line that has not ended. */
  #open = '';
  /** Owners whose text is in the open line. */
  #inOpen: ReadonlySet<Owner> = new Set();
  #line: number;

  /** @param line - number of the first line */
  constructor(line = 0) {
    this.#line = line;
  }

  /** Sets the texts to search for from now on. */
  search(literals: Literals<Owner>): void {
    this.#literals = literals;
  }

  /** Whether an owner waits for the rest of the open line. */
  get isWaiting(): boolean {
    return [...this.#inOpen].some(({ isWhole }) => isWhole);
  }

  /** Takes the next piece of text, and returns the lines that are found. */
  push(piece: string): LineMatch<Owner>[] {
    const literals = this.#literals;
    if (!literals || piece === '') return [];
    const before = this.#open.length;
    const text = this.#open + piece;
    // Owners by the beginnings of their lines.
    const found = new Map<number, Set<Owner>>();
    if (this.#inOpen.size > 0) found.set(0, new Set(this.#inOpen));
    const searched = Math.max(0, before - literals.longest + 1);
    literals.search(text.slice(searched), (owner, at, length) => {
      const begin = searched + at;
      // A text that ends within the earlier part of the open line was found before.
      if (begin + length <= before) return;
      const lineBegin = lineBeginOf(text, begin);
      const owners = found.get(lineBegin);
      if (owners) owners.add(owner);
      else found.set(lineBegin, new Set([owner]));
    });
    const lastBegin = lineBeginOf(text, text.length);
    const matches = this.#matches(text, found, lastBegin);
    if (lastBegin > 0) this.#line += 1;
    this.#inOpen = found.get(lastBegin) ?? new Set();
    // The beginning of a very long line is dropped; the owners that have found the line stay known.
    this.#open = text.slice(Math.max(lastBegin, text.length - MAX_WATCHED_LINE_CHARS));
    return matches;
  }

  /** Returns the open line for the owners that want whole lines: no more of it comes for now, or at all. */
  pause(): LineMatch<Owner>[] {
    const owners = [...this.#inOpen].filter(({ isWhole }) => isWhole);
    return owners.map((owner) => ({ owner, line: this.#line, text: this.#open }));
  }

  #matches(
    text: string,
    found: ReadonlyMap<number, ReadonlySet<Owner>>,
    lastBegin: number,
  ): LineMatch<Owner>[] {
    const matches: LineMatch<Owner>[] = [];
    for (const [begin, owners] of [...found].sort(([one], [other]) => one - other)) {
      const hasEnded = begin !== lastBegin;
      const end = hasEnded ? lineEndOf(text, begin) : text.length;
      // The open line keeps its number over all pieces.
      const line = begin === 0 ? this.#line : ++this.#line;
      for (const owner of owners) {
        const isDue = owner.isWhole ? hasEnded : begin > 0 || !this.#inOpen.has(owner);
        if (!isDue) continue;
        const [from, to] = owner.isWhole
          ? [Math.max(begin, end - MAX_WATCHED_LINE_CHARS), end]
          : [begin, Math.min(end, begin + MAX_MATCH_TEXT_CHARS)];
        matches.push({ owner, line, text: text.slice(from, to) });
      }
    }
    return matches;
  }
}

function lineBeginOf(text: string, at: number): number {
  if (at === 0) return 0;
  return Math.max(text.lastIndexOf('\n', at - 1), text.lastIndexOf(BREAK, at - 1)) + 1;
}

function lineEndOf(text: string, from: number): number {
  LINE_END.lastIndex = from;
  return LINE_END.exec(text)?.index ?? text.length;
}
