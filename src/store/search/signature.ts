/**
 * A block's signature: a bit for each run of one, two or three bytes of its folded text. If a bit of a query's runs is
 * missing, the block does not contain the query and need not be read. With LMDB's header a signature fills one memory
 * page. About a quarter of the bits of 64 KiB of logs are set, so that a query of ten characters passes by chance once
 * in a hundred thousand blocks.
 */
export const SIGNATURE_BYTES = 4096 - 24;

const BITS = SIGNATURE_BYTES * 8;

/** The kind that distinguishes names from runs of one, two or three bytes; names are in the signature, too. */
const NAME = 4;

/** Builds the signature of a block as the block grows. */
export class SignatureBuilder {
  readonly bytes = new Uint8Array(SIGNATURE_BYTES);

  /** @param text - folded UTF-8 */
  add(text: Uint8Array): void {
    const { bytes } = this;
    let run = 0;
    for (let index = 0; index < text.length; index++) {
      const byte = text[index]!;
      run = ((run << 8) | byte) & 0xffffff;
      set(bytes, bitOf(byte, 1));
      if (index > 0) set(bytes, bitOf(run & 0xffff, 2));
      if (index > 1) set(bytes, bitOf(run, 3));
    }
  }

  /** Adds a name (a terminal's id, a type) by which blocks are chosen. */
  addName(name: string): void {
    set(this.bytes, bitOfName(name));
  }
}

/** Returns the bits of every block that contains the text (folded UTF-8) and has all of these names. */
export function bitsOf(text: Uint8Array, names: readonly string[]): number[] {
  const bits = new Set(names.map(bitOfName));
  for (let index = 0; index < text.length; index++) {
    let run = 0;
    for (let length = 1; length <= 3 && index + length <= text.length; length++) {
      run = (run << 8) | text[index + length - 1]!;
      bits.add(bitOf(run, length));
    }
  }
  return [...bits];
}

/** Returns whether a block with this signature may contain the text and names of `bits`. */
export function mayHold(signature: Uint8Array, bits: readonly number[]): boolean {
  return bits.every((bit) => (signature[bit >>> 3]! & (1 << (bit & 7))) !== 0);
}

function set(bytes: Uint8Array, bit: number): void {
  bytes[bit >>> 3]! |= 1 << (bit & 7);
}

/** Hashes by multiplication; the upper half of the product depends on all bytes. */
function bitOf(run: number, kind: number): number {
  const hash = Math.imul(run | (kind << 24), 0x9e3779b1) >>> 17;
  return hash < BITS ? hash : hash - BITS;
}

function bitOfName(name: string): number {
  let hash = 0;
  for (let index = 0; index < name.length; index++)
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  return bitOf((hash >>> 8) & 0xffffff, NAME);
}
