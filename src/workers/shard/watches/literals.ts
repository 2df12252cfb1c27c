/** Most characters by which a text is looked up; of a longer text, the part that it shares with the fewest other texts. */
const GRAM = 4;
const TABLE_BITS = 16;
const TABLE = 1 << TABLE_BITS;
const BASE = 0x1f35;

/** A text to find. `owner` is handed back with each place. */
interface Literal<Owner> {
  text: string;
  owner: Owner;
  /** Offset in the text where its gram begins. */
  offset: number;
}

/** Texts by the hash of a part of them, their gram. The grams of one table have the same length. */
class GramTable<Owner> {
  readonly #length: number;
  /** Whether any gram has this hash. */
  readonly #present = new Uint8Array(TABLE);
  readonly #byHash = new Map<number, Literal<Owner>[]>();

  constructor(length: number) {
    this.#length = length;
  }

  add(text: string, owner: Owner): void {
    let best = { offset: 0, sharing: Number.POSITIVE_INFINITY };
    for (let offset = 0; offset + this.#length <= text.length && best.sharing > 0; offset++) {
      const sharing = this.#byHash.get(hashAt(text, offset, this.#length))?.length ?? 0;
      if (sharing < best.sharing) best = { offset, sharing };
    }
    const hash = hashAt(text, best.offset, this.#length);
    const sharing = this.#byHash.get(hash);
    const literal = { text, owner, offset: best.offset };
    if (sharing) sharing.push(literal);
    else this.#byHash.set(hash, [literal]);
    this.#present[hash] = 1;
  }

  /** Calls `found` for each place of a text, in the order of their grams. */
  search(text: string, found: (owner: Owner, at: number, length: number) => void): void {
    const length = this.#length;
    const present = this.#present;
    const leaving = powerOf(length - 1);
    let sum = sumAt(text, 0, length);
    for (let at = 0; at + length <= text.length; at++) {
      if (at > 0) {
        const rest = sum - Math.imul(text.charCodeAt(at - 1), leaving);
        sum = (Math.imul(rest, BASE) + text.charCodeAt(at + length - 1)) | 0;
      }
      const hash = folded(sum);
      if (present[hash] === 0) continue;
      for (const { text: wanted, owner, offset } of this.#byHash.get(hash) ?? []) {
        const begin = at - offset;
        if (begin >= 0 && text.startsWith(wanted, begin)) found(owner, begin, wanted.length);
      }
    }
  }
}

/**
 * Finds any number of texts in one pass: a table shows at each place whether a text may be there. The cost of a
 * character hardly depends on the number of texts.
 */
export class Literals<Owner> {
  readonly #tables = new Map<number, GramTable<Owner>>();
  /** Characters of the longest text. */
  readonly longest: number;

  constructor(literals: Iterable<[text: string, owner: Owner]>) {
    let longest = 0;
    for (const [text, owner] of literals) {
      longest = Math.max(longest, text.length);
      const length = Math.min(GRAM, text.length);
      let table = this.#tables.get(length);
      if (!table) {
        table = new GramTable<Owner>(length);
        this.#tables.set(length, table);
      }
      table.add(text, owner);
    }
    this.longest = longest;
  }

  /** Calls `found` for each place of each text. */
  search(text: string, found: (owner: Owner, at: number, length: number) => void): void {
    for (const table of this.#tables.values()) table.search(text, found);
  }
}

/** Returns a hash of `length` characters from `at` on. */
function hashAt(text: string, at: number, length: number): number {
  return folded(sumAt(text, at, length));
}

/** Returns the characters as the digits of a number, so that one step moves the number on by one character. */
function sumAt(text: string, at: number, length: number): number {
  let sum = 0;
  for (let index = at; index < at + length; index++)
    sum = (Math.imul(sum, BASE) + text.charCodeAt(index)) | 0;
  return sum;
}

function powerOf(exponent: number): number {
  let power = 1;
  for (let each = 0; each < exponent; each++) power = Math.imul(power, BASE);
  return power;
}

function folded(sum: number): number {
  return (sum ^ (sum >>> TABLE_BITS)) & (TABLE - 1);
}
