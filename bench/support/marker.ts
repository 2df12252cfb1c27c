/** Where a text is looked for that ends a stream: the last event is shorter, with room to spare. */
const NEAR_THE_END_BYTES = 1024;

/** Waits for a piece of text in a stream. */
export class Marker {
  readonly #text: string;
  readonly #lookBytes: number;
  #before = '';
  #found = () => {};
  #isSeen = false;
  /** Resolves when the text has come. */
  readonly seen = new Promise<void>((resolve) => {
    this.#found = resolve;
  });

  /**
   * An empty text is there from the beginning.
   *
   * @param lookBytes - how much is looked through of what comes at once, at its end; all of it takes a reader's time
   */
  constructor(text: string, lookBytes = NEAR_THE_END_BYTES) {
    this.#text = text;
    this.#lookBytes = lookBytes;
    if (text === '') this.#meet();
  }

  /** Looks at the end of what came, and across the cut before it. */
  look(bytes: Uint8Array, length: number): void {
    if (this.#isSeen) return;
    const tail = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString(
      'latin1',
      Math.max(0, length - this.#lookBytes),
    );
    if (`${this.#before}${tail}`.includes(this.#text)) this.#meet();
    this.#before = tail.slice(-this.#text.length);
  }

  #meet(): void {
    this.#isSeen = true;
    this.#found();
  }
}
