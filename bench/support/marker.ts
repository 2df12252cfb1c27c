/** Waits for a piece of text that comes near the end of what a stream gives at once, looking at nothing else. */
export class Marker {
  readonly #text: string;
  #before = '';
  #found = () => {};
  #isSeen = false;
  /** Resolves when the text has come. */
  readonly seen = new Promise<void>((resolve) => {
    this.#found = resolve;
  });

  /** An empty text is there from the beginning. */
  constructor(text: string) {
    this.#text = text;
    if (text === '') this.#meet();
  }

  /** Looks at the last KiB, which holds the event that ends a stream with room to spare, and across the cut. */
  look(bytes: Uint8Array, length: number): void {
    if (this.#isSeen) return;
    const tail = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString(
      'latin1',
      Math.max(0, length - 1024),
    );
    if (`${this.#before}${tail}`.includes(this.#text)) this.#meet();
    this.#before = tail.slice(-this.#text.length);
  }

  #meet(): void {
    this.#isSeen = true;
    this.#found();
  }
}
