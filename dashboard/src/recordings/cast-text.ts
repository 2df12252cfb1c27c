import type { CastEvent } from '../player/messages.js';

/** Escape sequences and control characters: strings for the terminal, sequences with their final, and short ones. */
const ESCAPES =
  /\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)|\x1b\[[0-?]*[ -/]*([@-~]|$)|\x1b[ -/]*[0-~]|[\x00-\x1f\x7f]/g;
/** Finals of the sequences that move the cursor to another place, or empty the screen. */
const MOVES = /[ABEFHJdf]/;
/** Characters of a line that are shown on each side of a match. */
const AROUND = 60;

/** A place in a recording at which a text was printed. */
export interface Hit {
  /** Second of the recording. */
  at: number;
  /** The line, or the part of it around the text. */
  line: string;
}

/** Output of a recording as text, with the second of each character. */
export class CastText {
  readonly #text: string;
  readonly #lower: string;
  /** Index at which each piece of the text begins; `#seconds` has the second in which it was printed. */
  readonly #starts: number[] = [];
  readonly #seconds: number[] = [];

  constructor(events: readonly CastEvent[]) {
    const output = events.filter(([, code]) => code === 'o');
    const raw = output.map(([, , data]) => data).join('');
    const parts: string[] = [];
    let length = 0;
    let event = 0;
    let eventEnd = output[0]?.[2].length ?? 0;
    const add = (text: string, from: number) => {
      // Events may cut an escape sequence or a line in two.
      for (let at = from; at < from + text.length; ) {
        while (eventEnd <= at) eventEnd += output[++event]![2].length;
        const piece = text.slice(at - from, eventEnd - from);
        this.#starts.push(length);
        this.#seconds.push(output[event]![0]);
        parts.push(piece);
        length += piece.length;
        at += piece.length;
      }
    };
    let from = 0;
    for (const match of raw.matchAll(ESCAPES)) {
      add(raw.slice(from, match.index), from);
      from = match.index + match[0].length;
      const stead = inStead(match[0], match[1]);
      parts.push(stead);
      length += stead.length;
    }
    add(raw.slice(from), from);
    this.#text = parts.join('');
    this.#lower = lowerOf(this.#text);
  }

  /**
   * Finds a text, whatever its case, in the order in which it was printed; at most `limit` times. A line that equals
   * the previous match counts once: programs redraw their screens again and again.
   */
  find(text: string, limit: number): Hit[] {
    const wanted = lowerOf(text);
    const hits: Hit[] = [];
    if (wanted === '') return hits;
    let from = 0;
    while (hits.length < limit) {
      const index = this.#lower.indexOf(wanted, from);
      if (index < 0) break;
      const lineStart = this.#text.lastIndexOf('\n', index) + 1;
      const newline = this.#text.indexOf('\n', index + wanted.length);
      const lineEnd = newline < 0 ? this.#text.length : newline;
      const start = Math.max(lineStart, index - AROUND);
      const line = this.#text.slice(start, Math.min(lineEnd, index + wanted.length + AROUND)).trim();
      if (hits.at(-1)?.line !== line) hits.push({ at: this.#secondOf(index), line });
      from = lineEnd;
    }
    return hits;
  }

  #secondOf(index: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! <= index) low = middle;
      else high = middle;
    }
    return this.#seconds[low] ?? 0;
  }
}

/** Returns the text in lower case, but for characters whose lower case has another length: places must not move. */
function lowerOf(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : Array.from(text, lowerCharacter).join('');
}

function lowerCharacter(character: string): string {
  const lower = character.toLowerCase();
  return lower.length === character.length ? lower : character;
}

/** Returns the text that replaces a sequence. */
function inStead(sequence: string, final: string | undefined): string {
  if (final !== undefined) return final === 'C' ? ' ' : MOVES.test(final) ? '\n' : '';
  if (sequence === '\n' || sequence === '\r') return '\n';
  return sequence === '\t' ? ' ' : '';
}
