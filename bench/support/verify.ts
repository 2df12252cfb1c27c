import { closeSync, openSync, readSync } from 'node:fs';

const PIECE_BYTES = 4 * 1024 * 1024;

export interface Verdict {
  /** Bytes of output received. */
  bytes: number;
  /** Offset of the first piece that differs from the expected output; undefined if all received bytes are right. */
  wrongAt: number | undefined;
  /** Whether the piece at `wrongAt` is a screen, sent in place of output that the client was too slow for. */
  isCut: boolean;
}

/** Text that the program prints before and after the file, as terminal output. */
export interface Around {
  head: string;
  tail: string;
}

/** Beginning of a screen that is sent in place of output; no text of the bench begins with it. */
const RESET = '\x1bc';

/**
 * Compares output with the file that `cat` has printed, byte for byte; the terminal turns each LF into CR LF.
 */
export function verify(file: string, around: Around, output: Iterable<Buffer>): Verdict {
  const expected = new Expected(file, around);
  let bytes = 0;
  let wrongAt: number | undefined;
  let isCut = false;
  try {
    for (const piece of output) {
      if (wrongAt === undefined && !expected.take(piece.length).equals(piece)) {
        wrongAt = bytes;
        isCut = piece.toString('latin1', 0, RESET.length) === RESET;
      }
      bytes += piece.length;
    }
  } finally {
    expected.close();
  }
  return { bytes, wrongAt, isCut };
}

/** The expected terminal output of the file, read from its beginning on. */
class Expected {
  readonly #file: number;
  #ahead: Buffer;
  #tail: string;

  constructor(file: string, { head, tail }: Around) {
    this.#ahead = Buffer.from(head);
    this.#tail = tail;
    this.#file = openSync(file, 'r');
  }

  /** Returns the next `length` bytes; fewer at the end. */
  take(length: number): Buffer {
    while (this.#ahead.length < length) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      const read = readSync(this.#file, piece);
      const printed =
        read === 0 ? this.#takeTail() : piece.toString('latin1', 0, read).replaceAll('\n', '\r\n');
      if (printed === '') break;
      this.#ahead = Buffer.concat([this.#ahead, Buffer.from(printed, 'latin1')]);
    }
    const taken = this.#ahead.subarray(0, length);
    this.#ahead = this.#ahead.subarray(length);
    return taken;
  }

  #takeTail(): string {
    const tail = this.#tail;
    this.#tail = '';
    return tail;
  }

  close(): void {
    closeSync(this.#file);
  }
}
