/** Looks for a text in another that comes in pieces. */
export class TextMatch {
  readonly #text: string;
  /** The end of what has come, one character shorter than the text. */
  #tail = '';

  /** @param text - not empty; CR LF in it stands for LF */
  constructor(text: string) {
    this.#text = text.replaceAll('\r\n', '\n');
  }

  /** Whether the text is in what has come up to the end of this piece. To be called until it is. */
  push(piece: string): boolean {
    const overlap = this.#text.length - 1;
    const isFound = piece.includes(this.#text) || (this.#tail + piece.slice(0, overlap)).includes(this.#text);
    const rest = piece.length >= overlap ? piece : this.#tail + piece;
    this.#tail = rest.slice(rest.length - Math.min(overlap, rest.length));
    return isFound;
  }

  /** Whether it is in a text that is whole. */
  isIn(text: string): boolean {
    return text.includes(this.#text);
  }
}
