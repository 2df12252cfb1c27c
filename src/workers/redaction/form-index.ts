import type { SecretForm } from './secret-form.js';

/** Place of a literal in a text, with the forms that have this literal. */
export interface LiteralHit {
  at: number;
  /** In the order in which to try them. */
  forms: readonly SecretForm[];
}

/** Finds the literals of forms. Most characters share no pair with a literal, so they cost one look at a table each. */
export class FormIndex {
  /** For each pair of characters below U+0100, by which literals begin: the number of its bucket, or 0. */
  readonly #bucketOf = new Uint16Array(1 << 16);
  readonly #buckets: Array<Map<string, SecretForm[]>> = [new Map()];

  /** @param forms - of forms with the same literal, the first is tried first; a longer literal before its beginning */
  constructor(forms: readonly SecretForm[]) {
    for (const form of [...forms].sort((a, b) => b.literal.length - a.literal.length)) {
      const { literal } = form;
      const bucket = this.#bucketFor(pairAt(literal, 1));
      const same = bucket.get(literal);
      if (same) same.push(form);
      else bucket.set(literal, [form]);
    }
  }

  /** Returns the places of literals from `from` on, in order. */
  hits(text: string, from = 0): LiteralHit[] {
    const hits: LiteralHit[] = [];
    let before = text.charCodeAt(from);
    for (let at = from + 1; at < text.length; at++) {
      const code = text.charCodeAt(at);
      // Both characters are below U+0100 in most text; other pairs have no bucket.
      const bucket = (before | code) < 0x100 ? this.#bucketOf[(before << 8) | code]! : 0;
      if (bucket !== 0) this.#look(text, at - 1, bucket, hits);
      before = code;
    }
    return hits;
  }

  #look(text: string, at: number, bucket: number, hits: LiteralHit[]): void {
    for (const [literal, forms] of this.#buckets[bucket]!)
      if (text.startsWith(literal, at)) hits.push({ at, forms });
  }

  #bucketFor(pair: number): Map<string, SecretForm[]> {
    const known = this.#bucketOf[pair]!;
    if (known !== 0) return this.#buckets[known]!;
    const bucket = new Map<string, SecretForm[]>();
    this.#bucketOf[pair] = this.#buckets.push(bucket) - 1;
    return bucket;
  }
}

function pairAt(text: string, at: number): number {
  return (text.charCodeAt(at - 1) << 8) | text.charCodeAt(at);
}
