import { firstIndex } from '../../workers/first-index.js';
import type { Span } from '../../workers/redaction/known-values.js';
import { replaced, type SecretFinder } from '../../workers/redaction/secret-finder.js';
import { FULL_ROW } from '../../workers/shard/screen/text/full-row.js';

/** Most characters of an unfinished line that are kept, to find a secret that continues in the next piece. */
const MAX_TAIL_CHARS = 4_096;

/** Terminals that are gone whose unfinished lines are kept: the last pieces of their output come after that. */
const MAX_GONE_TAILS = 100;

/** The end of a line that the next line may continue. */
const OPEN_END = `${FULL_ROW}\n`;

export interface RedactedTextOptions {
  /** Setting `search.redact`; read for each text. */
  isOn: () => boolean;
  finderOf: (terminalId: string) => SecretFinder;
}

/**
 * Replaces secrets in text on its way into the search index. Printed text comes in pieces, each as soon as its terminal
 * is quiet: a secret in two of them is replaced in both, once its beginning shows what it is.
 */
export class RedactedText {
  readonly #options: RedactedTextOptions;
  /** The end of the text of each terminal, as it was printed, that the next piece may continue: see {@link tailOf}. */
  readonly #tails = new Map<string, string>();
  /** Removed terminals whose last line is unfinished, in the order in which they last printed. */
  readonly #gone = new Set<string>();

  constructor(options: RedactedTextOptions) {
    this.#options = options;
  }

  /** Returns a whole text without its secrets. */
  whole(terminalId: string, text: string): string {
    return this.#options.isOn() && text !== '' ? this.#options.finderOf(terminalId).redact(text) : text;
  }

  /**
   * Returns lines that were typed at once without their secrets. The mark of a secret of several lines, such as a private
   * key, is in the first of them, and nothing of it in the others.
   */
  lines(terminalId: string, lines: readonly string[]): readonly string[] {
    if (!this.#options.isOn() || lines.length < 2) return lines;
    const finder = this.#options.finderOf(terminalId);
    const text = lines.join('\n');
    const secrets = finder.find(text);
    let next = 0;
    return lines.map((line) => {
      const begin = next;
      next += line.length + 1;
      const [first, behind] = [
        firstIndex(secrets.length, (index) => secrets[index]!.end > begin),
        firstIndex(secrets.length, (index) => secrets[index]!.start >= begin + line.length),
      ];
      const inLine = secrets.slice(first, behind).map((found) => ({
        start: Math.max(0, found.start - begin),
        end: Math.min(line.length, found.end - begin),
        marker: found.start >= begin ? finder.markerOf(text, found) : '',
      }));
      return replaced(line, inLine, ({ marker }) => marker);
    });
  }

  /**
   * Returns the next piece of printed text without its secrets, and without the marks of full rows.
   *
   * @param isOpen - whether its last line may go on in the next piece
   */
  piece(terminalId: string, marked: string, isOpen: () => boolean): string {
    const endsFull = marked.endsWith(FULL_ROW);
    const text = endsFull ? marked.slice(0, -FULL_ROW.length) : marked;
    if (!this.#options.isOn()) {
      this.#tails.delete(terminalId);
      return withoutMarks(text);
    }
    const finder = this.#options.finderOf(terminalId);
    const before = this.#tails.get(terminalId) ?? '';
    const goesOn = isOpen() || endsFull;
    const tail = tailOf(finder, before + text, goesOn);
    if (tail === '') this.#tails.delete(terminalId);
    else this.#tails.set(terminalId, tail);
    return text === '' ? '' : withoutMarks(redactEnd(finder, before, text, goesOn));
  }

  /** Forgets the unfinished line of a terminal that is gone, once enough others have gone, too. */
  left(terminalId: string): void {
    this.#gone.delete(terminalId);
    if (this.#tails.has(terminalId)) this.#gone.add(terminalId);
    const [oldest] = this.#gone;
    if (oldest === undefined || this.#gone.size <= MAX_GONE_TAILS) return;
    this.#gone.delete(oldest);
    this.#tails.delete(oldest);
  }
}

function withoutMarks(text: string): string {
  return text.replaceAll(OPEN_END, '\n');
}

/**
 * Returns the end of a text that the next piece may continue: the last line if it goes on, and a secret of several lines,
 * such as a private key, that has begun.
 */
function tailOf(finder: SecretFinder, text: string, goesOn: boolean): string {
  const rest = goesOn || text === '' || text.endsWith('\n') ? text : `${text}\n`;
  const line = goesOn ? lastLine(rest).slice(-MAX_TAIL_CHARS) : '';
  const joined = new Joined(rest);
  const begun = finder.cut(joined.text, 0);
  return begun ? rest.slice(Math.min(joined.offset(begun.start), rest.length - line.length)) : line;
}

/** Returns the last line, with the lines before it that it may continue. */
function lastLine(text: string): string {
  let end = text.lastIndexOf('\n');
  while (end > 0 && text.startsWith(FULL_ROW, end - FULL_ROW.length)) end = text.lastIndexOf('\n', end - 1);
  return text.slice(end + 1);
}

/** Returns `text` without secrets, including secrets that begin in the text before it or continue after it. */
function redactEnd(finder: SecretFinder, before: string, text: string, goesOn: boolean): string {
  const line = before + text;
  const begin = before.length;
  const marked: Array<Span & { marker: string }> = [];
  const mark = (start: number, end: number, marker: string) => {
    const isTaken = marked.some((other) => start < other.end && other.start < end);
    if (end > begin && !isTaken) marked.push({ start: Math.max(start, begin), end, marker });
  };
  const joined = new Joined(line);
  // Rows that one line of a line editor may fill come first: in one row alone, such a secret may look like a shorter one.
  for (const found of joined.isOther ? finder.find(joined.text) : [])
    mark(joined.offset(found.start), joined.end(found.end), finder.markerOf(joined.text, found));
  for (const found of finder.find(line)) mark(found.start, found.end, finder.markerOf(line, found));
  // The blanks before a piece are lost, so it may begin a word that the line seems to go on with.
  if (begin > 0)
    for (const found of finder.find(text))
      mark(begin + found.start, begin + found.end, finder.markerOf(text, found));
  const cut = goesOn ? finder.cut(joined.text) : undefined;
  if (cut) mark(joined.offset(cut.start), joined.end(cut.end), `[redacted:${cut.kind}:cut]`);
  const spans = marked
    .map(({ start, end, marker }) => ({ start: start - begin, end: end - begin, marker }))
    .sort((a, b) => a.start - b.start);
  return replaced(text, spans, ({ marker }) => marker);
}

/** A text in which each line that fills its row is joined with the next line, and the places of its characters. */
class Joined {
  readonly text: string;
  /** Where the joined lines begin in `text`; they begin `OPEN_END` later in the original for each join before. */
  readonly #joins: number[] = [];

  constructor(text: string) {
    const lines = text.split(OPEN_END);
    let length = 0;
    for (const line of lines.slice(0, -1)) {
      length += line.length;
      this.#joins.push(length);
    }
    this.text = lines.join('');
  }

  get isOther(): boolean {
    return this.#joins.length > 0;
  }

  /** Returns the place of a character in the original text. */
  offset(at: number): number {
    const before = firstIndex(this.#joins.length, (index) => this.#joins[index]! > at);
    return at + OPEN_END.length * before;
  }

  /** Returns the place after the last of the characters before `at`. */
  end(at: number): number {
    return this.offset(at - 1) + 1;
  }
}
