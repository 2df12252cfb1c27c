import { closeSync, openSync, readSync } from 'node:fs';

const PIECE_BYTES = 4 * 1024 * 1024;

export interface Verdict {
  /** Bytes of output that came. */
  bytes: number;
  /** Where they first differ from what the file gives in a terminal; undefined where all that came is right. */
  wrongAt: number | undefined;
  /** It differs there because a screen was sent in place of output that the client was too slow for. */
  isCut: boolean;
}

/** What the program has printed around the file, as it comes out of the terminal. */
export interface Around {
  head: string;
  tail: string;
}

/** A screen that is sent in place of output begins with it; no text of the bench does. */
const RESET = '\x1bc';

/**
 * Holds output against the file that `cat` has printed, byte for byte; the terminal makes each LF a CR LF.
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

/** The file as a terminal gives it, from its beginning on. */
class Expected {
  readonly #file: number;
  #ahead: Buffer;
  #tail: string;

  constructor(file: string, { head, tail }: Around) {
    this.#ahead = Buffer.from(head);
    this.#tail = tail;
    this.#file = openSync(file, 'r');
  }

  /** The next bytes; fewer at the end. */
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
