import { closeSync, constants, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { ConfigError } from '../config/config-error.js';
import { writeAll } from './write-all.js';

const NEW_LINE = 0x0a;

/** A line of a journal. */
export interface JournalLine {
  text: string;
  /** Position in the file, in bytes. */
  at: number;
}

/**
 * A file of lines that must survive the death of this process before the store has them on the disk. A line is written in
 * microseconds, while a commit of the store waits for the disk. Lines may be lost when the machine loses its power.
 */
export class Journal {
  /** The whole lines that an earlier process has left. */
  readonly found: readonly JournalLine[];
  readonly #fd: number;
  readonly #maxBytes: number;
  #bytes: number;

  private constructor(fd: number, maxBytes: number) {
    const bytes = readFileSync(fd);
    const found: JournalLine[] = [];
    let at = 0;
    for (let end = bytes.indexOf(NEW_LINE); end >= 0; end = bytes.indexOf(NEW_LINE, at)) {
      found.push({ text: bytes.toString('utf8', at, end), at });
      at = end + 1;
    }
    // A process that ends while it writes leaves a part of a line, which the next line overwrites.
    this.#bytes = at;
    this.found = found;
    this.#fd = fd;
    this.#maxBytes = maxBytes;
  }

  /** Opens the file, and creates it if necessary, for its user alone. Throws ConfigError. */
  static open(file: string, maxBytes: number): Journal {
    try {
      return new Journal(openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600), maxBytes);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new ConfigError(`${file}: cannot be opened (${code})`, { cause: error });
    }
  }

  /**
   * Adds a line, which holds no line feed. Returns undefined, and adds nothing, if the file is full. Throws the system's
   * error if it cannot be written; then nothing was added either.
   */
  add(text: string): JournalLine | undefined {
    const bytes = Buffer.from(`${text}\n`);
    const at = this.#bytes;
    if (at + bytes.length > this.#maxBytes) return undefined;
    writeAll(this.#fd, bytes, at);
    this.#bytes += bytes.length;
    return { text, at };
  }

  /** Overwrites a line with spaces, which takes no room on the disk. Throws the system's error. */
  blank({ text, at }: JournalLine): void {
    writeAll(this.#fd, Buffer.alloc(Buffer.byteLength(text), ' '), at);
  }

  /** Removes all lines. Throws the system's error. */
  clear(): void {
    ftruncateSync(this.#fd, 0);
    this.#bytes = 0;
  }

  close(): void {
    closeSync(this.#fd);
  }
}
