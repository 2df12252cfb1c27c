/** Bytes that are searched at the end of a read for the text that ends a stream: more than the last event has. */
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
   * An empty text counts as seen from the beginning.
   *
   * @param lookBytes - bytes to search at the end of each read, since a search of all would take the reader's time
   */
  constructor(text: string, lookBytes = NEAR_THE_END_BYTES) {
    this.#text = text;
    this.#lookBytes = lookBytes;
    if (text === '') this.#meet();
  }

  /** Searches the end of a read, and across its boundary with the read before. */
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
