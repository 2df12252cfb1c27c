/** Shortest beginning of the secret that is covered at the end of a piece: ordinary output has shorter beginnings. */
const MIN_BEGINNING = 8;
const COVER = '*'.charCodeAt(0);

/**
 * Covers a terminal's secret in its output, which arrives in pieces cut anywhere, so that neither a client nor a
 * recording nor a program that plays a recording can repeat the secret. Lengths stay the same.
 */
export class SecretCover {
  readonly #secret: Buffer;
  /** Number of bytes of the secret at the end of the previous piece. */
  #begun = 0;

  constructor(secret: string) {
    this.#secret = Buffer.from(secret);
  }

  /** Returns `bytes` itself if there is nothing to cover, else a covered copy. */
  cover(bytes: Uint8Array): Uint8Array {
    const piece = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const secret = this.#secret;
    const spans: Array<[begin: number, end: number]> = [];
    let from = this.#continuedIn(piece);
    if (from > 0) spans.push([0, from]);
    const isWithin = this.#begun + from < secret.length && from > 0 && from === piece.length;
    if (isWithin) {
      this.#begun += from;
      return this.#begun < MIN_BEGINNING ? bytes : Buffer.alloc(piece.length, COVER);
    }
    for (let at = piece.indexOf(secret, from); at !== -1; at = piece.indexOf(secret, from)) {
      from = at + secret.length;
      spans.push([at, from]);
    }
    this.#begun = this.#beginningIn(piece, from);
    if (this.#begun >= MIN_BEGINNING) spans.push([piece.length - this.#begun, piece.length]);
    if (spans.length === 0) return bytes;
    const covered = Buffer.from(piece);
    for (const [begin, end] of spans) covered.fill(COVER, begin, end);
    return covered;
  }

  /** Returns the number of bytes at the start of `piece` that continue the secret: all missing bytes, the whole piece, or 0. */
  #continuedIn(piece: Buffer): number {
    if (this.#begun === 0) return 0;
    const rest = this.#secret.subarray(this.#begun, this.#begun + piece.length);
    return piece.subarray(0, rest.length).equals(rest) ? rest.length : 0;
  }

  /** Returns the number of bytes at the end of `piece`, at or after `from`, with which the secret may begin. */
  #beginningIn(piece: Buffer, from: number): number {
    const first = this.#secret[0];
    for (let at = Math.max(from, piece.length - this.#secret.length + 1); at < piece.length; at++) {
      if (piece[at] === first && this.#beginsAt(piece, at)) return piece.length - at;
    }
    return 0;
  }

  /** Returns whether all of `piece` from `begin` on is a beginning of the secret. */
  #beginsAt(piece: Buffer, begin: number): boolean {
    for (let at = begin + 1; at < piece.length; at++) {
      if (piece[at] !== this.#secret[at - begin]) return false;
    }
    return true;
  }
}
