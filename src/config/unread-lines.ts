import type { Writable } from 'node:stream';

/** The level of pino's warnings. */
const WARN = 40;

/**
 * Lines of a log for a reader that may never read. Lines wait in the stream's queue; once the queue has `maxBytes`,
 * lines are left out and counted, and the next line that fits is preceded by a line with their number. A write that waited
 * for the reader would hold the whole process.
 */
export class UnreadLines {
  readonly #stream: Pick<Writable, 'write' | 'writableLength'>;
  readonly #maxBytes: number;
  #leftOut = 0;

  constructor(stream: Pick<Writable, 'write' | 'writableLength'>, maxBytes: number) {
    this.#stream = stream;
    this.#maxBytes = maxBytes;
  }

  write(line: string): void {
    if (this.#stream.writableLength >= this.#maxBytes) {
      this.#leftOut++;
      return;
    }
    if (this.#leftOut > 0) {
      const note = {
        level: WARN,
        time: Date.now(),
        leftOut: this.#leftOut,
        msg: 'lines of the log were left out',
      };
      this.#leftOut = 0;
      this.#stream.write(`${JSON.stringify(note)}\n`);
    }
    this.#stream.write(line);
  }
}
