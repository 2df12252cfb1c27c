import { randomInt } from 'node:crypto';

const NONCE_DIGITS = 24;
const DIGITS_AT_ONCE = 12;

/**
 * A control string that no program has written: an OSC with a random number. Written into the slave after the
 * program's end it comes out of the master behind the program's last byte. Digits only, since the terminal's
 * output modes may change letters and line ends.
 */
export function newMarker(): Buffer {
  let nonce = '';
  while (nonce.length < NONCE_DIGITS) {
    nonce += String(randomInt(10 ** DIGITS_AT_ONCE)).padStart(DIGITS_AT_ONCE, '0');
  }
  return Buffer.from(`\x1b]7779;${nonce}\x1b\\`);
}

/** Finds a marker in a stream that may cut it anywhere, and passes on what comes before it. */
export class MarkerFilter {
  readonly #marker: Buffer;
  #held: Buffer = Buffer.alloc(0);
  /** Lengths of beginnings of the marker that got into the stream before the kernel's buffer was full. */
  readonly #fragments: number[] = [];

  constructor(marker: Buffer) {
    this.#marker = marker;
  }

  /** Only the first `bytes` of the marker went into the stream; a whole one will follow. */
  addFragment(bytes: number): void {
    this.#fragments.push(bytes);
  }

  /** What is certain to be output, and whether the marker has been met. */
  push(chunk: Buffer): { output: Buffer; found: boolean } {
    const bytes = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    const at = bytes.indexOf(this.#marker);
    if (at >= 0) {
      this.#held = Buffer.alloc(0);
      return { output: this.#withoutFragments(bytes.subarray(0, at)), found: true };
    }
    const held = this.#possibleStart(bytes);
    // A copy: the chunk is only lent.
    this.#held = Buffer.from(bytes.subarray(bytes.length - held));
    return { output: bytes.subarray(0, bytes.length - held), found: false };
  }

  /** What was held back, when the marker will not come any more. */
  flush(): Buffer {
    const held = this.#held;
    this.#held = Buffer.alloc(0);
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

  /** Length of the longest end of `bytes` that the marker begins with. */
  #possibleStart(bytes: Buffer): number {
    for (let length = Math.min(bytes.length, this.#marker.length - 1); length > 0; length -= 1) {
      if (bytes.subarray(bytes.length - length).equals(this.#marker.subarray(0, length))) return length;
    }
    return 0;
  }
}
