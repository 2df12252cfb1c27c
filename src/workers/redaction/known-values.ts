import { MIN_KNOWN_SECRET_CHARS } from '../../contract/limits.js';
import type { SecretHash } from './secret-hash.js';

/** Secret value of a variable in the form in which it is kept: it can be recognised, but not read. */
export interface KnownValue {
  /** Name of the variable. */
  name: string;
  /** UTF-16 units of the value. */
  length: number;
  /** See {@link fingerprintOf}; without `isWhole`, the hash of the beginning alone. */
  fingerprint: number;
  /** Absent from values that an earlier version has kept, whose fingerprints do not cover the whole value. */
  isWhole?: true | undefined;
  /** See {@link SecretHash.ofValue}. */
  hash: string;
}

/** Part of a text. */
export interface Span {
  start: number;
  end: number;
}

/** UTF-16 units at the beginning of a value whose hash is compared at each place of a text, before the whole. */
const WINDOW = MIN_KNOWN_SECRET_CHARS;

/** Bits of the hash of the beginning that choose its place in the filter: the high ones, which all characters reach. */
const FILTER_BITS = 10;
const REST_BITS = 32 - FILTER_BITS;

/**
 * Returns the fingerprint of a value: the filter's bits of the hash of its beginning, and bits of the hash of the whole.
 * Many values may begin alike, such as the indented lines of a file of JSON: without the whole, each of them would cost
 * an HMAC at each place with that beginning. More bits would reveal more of a value to a reader of the key.
 */
export function fingerprintOf(value: string, { factor }: SecretHash): number {
  const hashes = new TextHashes(value, 0, factor);
  const beginning = hashes.between(0, WINDOW, powerOf(factor, WINDOW));
  return fingerprintFrom(beginning, hashes.between(0, value.length, powerOf(factor, value.length)));
}

function fingerprintFrom(beginning: number, whole: number): number {
  return (((beginning >>> REST_BITS) << REST_BITS) | (whole >>> FILTER_BITS)) >>> 0;
}

/** Returns a power of a factor, modulo 2 ** 32. */
function powerOf(factor: number, exponent: number): number {
  let power = 1;
  for (let square = factor, rest = exponent; rest > 0; square = Math.imul(square, square), rest >>>= 1)
    if (rest % 2 === 1) power = Math.imul(power, square);
  return power;
}

/** Hashes of all parts of a text: each hash costs the same, however long the part is. */
class TextHashes {
  readonly #from: number;
  /** Hashes of the first characters, by their number. */
  readonly #begins: Int32Array;

  /** @param from - place of the text where the parts begin at the earliest */
  constructor(text: string, from: number, factor: number) {
    const count = text.length - from;
    const begins = new Int32Array(count + 1);
    let hash = 0;
    for (let at = 0; at < count; at++) {
      hash = (Math.imul(hash, factor) + text.charCodeAt(from + at)) | 0;
      begins[at + 1] = hash;
    }
    this.#from = from;
    this.#begins = begins;
  }

  /** Returns the hash of a part. `weight` is the factor to the power of its length. */
  between(start: number, end: number, weight: number): number {
    const begins = this.#begins;
    return (begins[end - this.#from]! - Math.imul(begins[start - this.#from]!, weight)) >>> 0;
  }
}

/** A value, and the factor of the hashes to the power of its length. */
interface Candidate {
  value: KnownValue;
  weight: number;
}

/** Finds values that are known only by their hashes, in one pass over the text, however many there are. */
export class KnownValues {
  readonly #hash: SecretHash;
  /** The factor of the hashes to the power of the window's length. */
  readonly #weight: number;
  readonly #filter = new Uint8Array(1 << FILTER_BITS);
  /** The values by their places in the filter, the longest first. */
  readonly #candidates = new Map<number, Candidate[]>();

  constructor(hash: SecretHash, values: readonly KnownValue[]) {
    this.#hash = hash;
    this.#weight = powerOf(hash.factor, WINDOW);
    for (const value of [...values].sort((a, b) => b.length - a.length)) {
      const place = value.fingerprint >>> REST_BITS;
      const candidates = this.#candidates.get(place) ?? [];
      candidates.push({ value, weight: powerOf(hash.factor, value.length) });
      this.#candidates.set(place, candidates);
      this.#filter[place] = 1;
    }
  }

  get isEmpty(): boolean {
    return this.#candidates.size === 0;
  }

  /** Returns the places of values from `from` on, in order; of several values that begin at one place, the longest. */
  find(text: string, from = 0): Array<Span & { kind: string }> {
    const found: Array<Span & { kind: string }> = [];
    if (this.isEmpty || text.length - from < WINDOW) return found;
    const hashes = new TextHashes(text, from, this.#hash.factor);
    for (let start = from; start + WINDOW <= text.length; ) {
      const beginning = hashes.between(start, start + WINDOW, this.#weight);
      const isKnown = this.#filter[beginning >>> REST_BITS] === 1;
      const value = isKnown ? this.#valueAt(text, start, beginning, hashes) : undefined;
      if (value) found.push({ start, end: start + value.length, kind: value.name });
      start += value?.length ?? 1;
    }
    return found;
  }

  /** @param beginning - the hash of the window at `start` */
  #valueAt(text: string, start: number, beginning: number, hashes: TextHashes): KnownValue | undefined {
    let hashed = { length: 0, hash: '' };
    for (const { value, weight } of this.#candidates.get(beginning >>> REST_BITS) ?? []) {
      const { length } = value;
      if (start + length > text.length) continue;
      const fingerprint = value.isWhole
        ? fingerprintFrom(beginning, hashes.between(start, start + length, weight))
        : beginning;
      if (fingerprint !== value.fingerprint) continue;
      // Candidates of one length come one after the other, so each length costs at most one hash.
      if (hashed.length !== length)
        hashed = { length, hash: this.#hash.ofValue(text.slice(start, start + length)) };
      if (hashed.hash === value.hash) return value;
    }
    return undefined;
  }
}
