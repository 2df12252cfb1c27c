/** Searches for a text in another text that arrives in pieces. */
export class TextMatch {
  readonly #text: string;
  /** The end of the pieces so far, at most one character shorter than the text. */
  #tail = '';

  /** @param text - not empty; CR LF in it is treated as LF */
  constructor(text: string) {
    this.#text = text.replaceAll('\r\n', '\n');
  }

  /** Adds a piece and returns whether the text is in the pieces so far. Do not call it again after that. */
  push(piece: string): boolean {
    const overlap = this.#text.length - 1;
    const isFound = piece.includes(this.#text) || (this.#tail + piece.slice(0, overlap)).includes(this.#text);
    const rest = piece.length >= overlap ? piece : this.#tail + piece;
    this.#tail = rest.slice(rest.length - Math.min(overlap, rest.length));
    return isFound;
  }

  /** Returns whether the text is in a complete text. */
  isIn(text: string): boolean {
    return text.includes(this.#text);
  }
}
