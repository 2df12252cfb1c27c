import type { Span } from '../../workers/redaction/known-values.js';
import { replaced, type SecretFinder } from '../../workers/redaction/secret-finder.js';

/** Most characters of an unfinished line that are kept, to find a secret that continues in the next piece. */
const MAX_TAIL_CHARS = 4_096;

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
  /** The unfinished last line of each terminal, as it was printed; the next piece may continue it. */
  readonly #tails = new Map<string, string>();

  constructor(options: RedactedTextOptions) {
    this.#options = options;
  }

  /** Returns a whole text without its secrets. */
  whole(terminalId: string, text: string): string {
    return this.#options.isOn() && text !== '' ? this.#options.finderOf(terminalId).redact(text) : text;
  }

  /** Returns the next piece of printed text without its secrets; `isOpen`: its last line may go on in the next piece. */
  piece(terminalId: string, text: string, isOpen: () => boolean): string {
    if (!this.#options.isOn()) {
      this.#tails.delete(terminalId);
      return text;
    }
    const finder = this.#options.finderOf(terminalId);
    const before = this.#tails.get(terminalId) ?? '';
    const line = before + text;
    const goesOn = isOpen();
    if (goesOn) this.#tails.set(terminalId, line.slice(line.lastIndexOf('\n') + 1).slice(-MAX_TAIL_CHARS));
    else this.#tails.delete(terminalId);
    return text === '' ? '' : redactEnd(finder, before, text, goesOn);
  }

  /** Forgets the unfinished line of a terminal. */
  drop(terminalId: string): void {
    this.#tails.delete(terminalId);
  }
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
  for (const found of finder.find(line)) mark(found.start, found.end, finder.markerOf(line, found));
  // The blanks before a piece are lost, so it may begin a word that the line seems to go on with.
  if (begin > 0)
    for (const found of finder.find(text))
      mark(begin + found.start, begin + found.end, finder.markerOf(text, found));
  const cut = goesOn ? finder.cut(line) : undefined;
  if (cut) mark(cut.start, cut.end, `[redacted:${cut.kind}:cut]`);
  const spans = marked
    .map(({ start, end, marker }) => ({ start: start - begin, end: end - begin, marker }))
    .sort((a, b) => a.start - b.start);
  return replaced(text, spans, ({ marker }) => marker);
}
