import { MIN_KNOWN_SECRET_CHARS } from '../../contract/limits.js';
import type { SecretHash } from './secret-hash.js';

/** Secret value of a variable in the form in which it is kept: it can be recognised, but not read. */
export interface KnownValue {
  /** Name of the variable. */
  name: string;
  /** UTF-16 units of the value. */
  length: number;
  /** See {@link fingerprintOf}. */
  fingerprint: number;
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

/** Bits of a fingerprint that choose its place in the filter: the high ones, which all characters reach. */
const FILTER_BITS = 10;

/** Returns a hash of the beginning of a value that can be moved along a text, character by character. */
export function fingerprintOf(value: string, { factor }: SecretHash, from = 0): number {
  let hash = 0;
  for (let at = from; at < from + WINDOW; at++) hash = Math.imul(hash, factor) + value.charCodeAt(at);
  return hash >>> 0;
}

/** Finds values that are known only by their hashes, in one pass over the text, however many there are. */
export class KnownValues {
  readonly #hash: SecretHash;
  /** Weight of the character that leaves the window. */
  readonly #weight: number;
  readonly #filter = new Uint8Array(1 << FILTER_BITS);
  readonly #values: readonly KnownValue[];

  constructor(hash: SecretHash, values: readonly KnownValue[]) {
    this.#hash = hash;
    this.#values = [...values].sort((a, b) => b.length - a.length);
    let weight = 1;
    for (let count = 0; count < WINDOW; count++) weight = Math.imul(weight, hash.factor);
    this.#weight = weight;
    for (const { fingerprint } of values) this.#filter[fingerprint >>> (32 - FILTER_BITS)] = 1;
  }

  get isEmpty(): boolean {
    return this.#values.length === 0;
  }

  /** Returns the places of values from `from` on, in order; of several values that begin at one place, the longest. */
  find(text: string, from = 0): Array<Span & { kind: string }> {
    const found: Array<Span & { kind: string }> = [];
    if (this.isEmpty || text.length - from < WINDOW) return found;
    const { factor } = this.#hash;
    const weight = this.#weight;
    const filter = this.#filter;
    let free = from;
    let hash = fingerprintOf(text, this.#hash, from) | 0;
    for (let end = from + WINDOW; ; end++) {
      if (filter[hash >>> (32 - FILTER_BITS)] === 1 && end - WINDOW >= free) {
        const value = this.#valueAt(text, end - WINDOW, hash >>> 0);
        if (value) {
          free = end - WINDOW + value.length;
          found.push({ start: end - WINDOW, end: free, kind: value.name });
        }
      }
      if (end >= text.length) return found;
      hash =
        (Math.imul(hash, factor) + text.charCodeAt(end) - Math.imul(text.charCodeAt(end - WINDOW), weight)) |
        0;
    }
  }

  #valueAt(text: string, start: number, fingerprint: number): KnownValue | undefined {
    return this.#values.find(
      (value) =>
        value.fingerprint === fingerprint &&
        start + value.length <= text.length &&
        this.#hash.ofValue(text.slice(start, start + value.length)) === value.hash,
    );
  }
}
