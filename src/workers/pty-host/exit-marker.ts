import { randomInt } from 'node:crypto';

const NONCE_DIGITS = 24;
const DIGITS_AT_ONCE = 12;

/** What a marker begins with, before its number: an OSC that no terminal knows. */
export const MARKER_START = '\x1b]7779;';
/** And what it ends with. */
export const MARKER_END = '\x1b\\';

/** A number that no program has written. Digits only, since a terminal's output modes may change letters. */
export function newNonce(): string {
  let nonce = '';
  while (nonce.length < NONCE_DIGITS) {
    nonce += String(randomInt(10 ** DIGITS_AT_ONCE)).padStart(DIGITS_AT_ONCE, '0');
  }
  return nonce;
}

/**
 * A control string that no program has written: an OSC with a random number. Written into the slave after the
 * program's end it comes out of the master behind the program's last byte.
 */
export function newMarker(): Buffer {
  return Buffer.from(`${MARKER_START}${newNonce()}${MARKER_END}`);
}

const NOTHING = Buffer.alloc(0);

/** Finds a marker in a stream that may cut it anywhere, and passes on what comes before it. */
export class MarkerFilter {
  readonly #marker: Buffer;
  readonly #first: number;
  #held: Buffer = NOTHING;
  /** Lengths of beginnings of the marker that got into the stream before the kernel's buffer was full. */
  readonly #fragments: number[] = [];

  constructor(marker: Buffer) {
    this.#marker = marker;
    this.#first = marker[0]!;
  }

  /** Only the first `bytes` of the marker went into the stream; a whole one will follow. */
  addFragment(bytes: number): void {
    this.#fragments.push(bytes);
  }

  /** What is certain to be output, whether the marker has been met, and what came behind it; the memory is the chunk's. */
  push(chunk: Buffer): { output: Buffer; found: boolean; rest: Buffer } {
    const bytes = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    const at = bytes.indexOf(this.#marker);
    if (at >= 0) {
      this.#held = NOTHING;
      const rest = bytes.subarray(at + this.#marker.length);
      return { output: this.#withoutFragments(bytes.subarray(0, at)), found: true, rest };
    }
    const certain = this.#possibleStart(bytes);
    // A copy: the chunk is only lent.
    this.#held = Buffer.from(bytes.subarray(certain));
    return { output: bytes.subarray(0, certain), found: false, rest: NOTHING };
  }

  /** What was held back, when the marker will not come any more. */
  flush(): Buffer {
    const held = this.#held;
    this.#held = NOTHING;
    return this.#withoutFragments(held);
  }

  #withoutFragments(output: Buffer): Buffer {
    let rest = output;
    for (const bytes of this.#fragments.toReversed()) {
      const cut = rest.length - bytes;
      if (cut >= 0 && rest.subarray(cut).equals(this.#marker.subarray(0, bytes)))
        rest = rest.subarray(0, cut);
    }
    return rest;
  }

  /** Where the longest end of `bytes` starts that the marker begins with; their length where there is none. */
  #possibleStart(bytes: Buffer): number {
    let at = Math.max(0, bytes.length - this.#marker.length + 1);
    for (;;) {
      at = bytes.indexOf(this.#first, at);
      if (at < 0) return bytes.length;
      if (bytes.compare(this.#marker, 0, bytes.length - at, at) === 0) return at;
      at += 1;
    }
  }
}
