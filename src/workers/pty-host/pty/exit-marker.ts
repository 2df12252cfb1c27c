import { randomInt } from 'node:crypto';

const NONCE_DIGITS = 24;
const DIGITS_AT_ONCE = 12;

/** Beginning of a marker, before its number: an OSC that no terminal knows. */
export const MARKER_START = '\x1b]7779;';
/** End of a marker. */
export const MARKER_END = '\x1b\\';

/** Returns a number that no program has written. Digits only, since a terminal's output modes may change letters. */
export function newExitNonce(): string {
  let nonce = '';
  while (nonce.length < NONCE_DIGITS) {
    nonce += String(randomInt(10 ** DIGITS_AT_ONCE)).padStart(DIGITS_AT_ONCE, '0');
  }
  return nonce;
}

/**
 * Returns a control string that no program has written: an OSC with a random number. Written to the slave after the
 * program's end, it comes out of the master behind the program's last byte.
 */
export function newMarker(): Buffer {
  return Buffer.from(`${MARKER_START}${newExitNonce()}${MARKER_END}`);
}

const NOTHING = Buffer.alloc(0);

/** How far a filter has come: the bytes that may begin the marker, and the lengths of fragments in the stream. */
export interface KeptMarkerFilter {
  held: Buffer;
  fragments: readonly number[];
}

/** Finds a marker in a stream that may split it anywhere, and passes on what comes before the marker. */
export class MarkerFilter {
  readonly #marker: Buffer;
  readonly #first: number;
  #held: Buffer = NOTHING;
  /** Lengths of the beginnings of the marker that got into the stream before the kernel's buffer was full. */
  readonly #fragments: number[] = [];

  constructor(marker: Buffer, earlier?: KeptMarkerFilter) {
    this.#marker = marker;
    this.#first = marker[0]!;
    if (!earlier) return;
    this.#held = earlier.held;
    this.#fragments.push(...earlier.fragments);
  }

  /** Returns the state with which another filter goes on as this one. */
  keep(): KeptMarkerFilter {
    return { held: this.#held, fragments: this.#fragments };
  }

  /** Records that only the first `bytes` bytes of the marker went into the stream; a whole marker will follow. */
  addFragment(bytes: number): void {
    this.#fragments.push(bytes);
  }

  /**
   * Returns bytes that are certainly output, whether the marker was found, and the bytes behind it. The results may share
   * the memory of the chunk.
   */
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

  /** Returns the bytes that were held back; for when the marker will not come any more. */
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

  /** Returns where the longest end of `bytes` starts that begins the marker, or their length if there is none. */
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
