import { MAX_PATTERN_SECRET_CHARS, MIN_PATTERN_LITERAL_CHARS } from '../limits.js';

/** Stands for every character beyond ASCII in a {@link CharacterSet}. */
const OTHER = 128;

/** Characters by their codes; `OTHER` for all beyond ASCII. */
type CharacterSet = ReadonlySet<number>;

/** Characters of one set, `min` to `max` of them. */
interface Atom {
  set: CharacterSet;
  min: number;
  max: number;
}

/** A pattern that is matched without ever going back; see {@link parsePattern}. */
export interface SecretPattern {
  /** Characters that every match begins with. */
  literal: string;
  atoms: readonly Atom[];
  /** The atoms whose text is the secret: from `first` up to `end`, which is excluded. */
  secret: { first: number; end: number };
  /** Characters of the longest match. */
  longest: number;
}

const CODES = Array.from({ length: OTHER + 1 }, (_, code) => code);
const DIGITS = range('0', '9');
const WORD = new Set([...DIGITS, ...range('a', 'z'), ...range('A', 'Z'), '_'.charCodeAt(0)]);
const BLANKS = new Set([...' \t\n\r\f\v'].map((char) => char.charCodeAt(0)));
const CLASSES: Record<string, CharacterSet> = { d: DIGITS, w: WORD, s: BLANKS };

/** Returns the code of a character as sets hold it. */
export function codeIn(text: string, at: number): number {
  return Math.min(text.charCodeAt(at), OTHER);
}

/** Returns whether a code of {@link codeIn} is that of an ASCII letter or digit. */
export function isAlphanumeric(code: number): boolean {
  return code !== 0x5f && WORD.has(code);
}

/**
 * Parses a pattern of the language that settings use: characters, `\` before a special character, `\d`, `\w`, `\s`,
 * `.` and classes such as `[A-Za-z0-9_]` or `[^\s]`, each with `?`, `{n}` or `{n,m}`; one group `(...)` marks the part
 * that is the secret. Negated classes and `.` match no control characters.
 *
 * Every accepted pattern is matched in one pass from left to right: a run of variable length is never followed by a
 * character of its own set. So no text makes a match slow. Throws an Error that says what is wrong.
 *
 * @param maxChars - most characters of a match
 * @param minLiteral - characters that the pattern must begin with
 */
export function parsePattern(
  source: string,
  { maxChars = MAX_PATTERN_SECRET_CHARS, minLiteral = MIN_PATTERN_LITERAL_CHARS } = {},
): SecretPattern {
  const { atoms, secret } = new Parser(source).parse();
  const longest = atoms.reduce((sum, { max }) => sum + max, 0);
  if (longest === 0) throw new Error('must match at least one character');
  if (longest > maxChars) throw new Error(`may match at most ${maxChars} characters, not ${longest}`);
  const literal = literalOf(atoms);
  if (literal.length < minLiteral)
    throw new Error(`must begin with at least ${minLiteral} characters that are always the same`);
  refuseAmbiguous(atoms);
  return { literal, atoms, secret, longest };
}

/** Throws if a match could be divided among the atoms in two ways, so that a matcher would have to go back. */
function refuseAmbiguous(atoms: readonly Atom[]): void {
  for (const [index, { set, min, max }] of atoms.entries()) {
    if (min === max) continue;
    for (const next of atoms.slice(index + 1)) {
      if ([...next.set].some((code) => set.has(code)))
        throw new Error(
          'what follows a repetition of a variable number must be other characters than it repeats',
        );
      if (next.min > 0) break;
    }
  }
}

function literalOf(atoms: readonly Atom[]): string {
  let literal = '';
  for (const { set, min, max } of atoms) {
    const [code, ...others] = set;
    if (code === undefined || code === OTHER || others.length > 0 || min !== 1 || max !== 1) break;
    literal += String.fromCharCode(code);
  }
  return literal;
}

class Parser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): Pick<SecretPattern, 'atoms' | 'secret'> {
    const atoms: Atom[] = [];
    let first: number | undefined;
    let end: number | undefined;
    while (this.#at < this.#source.length) {
      const char = this.#source[this.#at]!;
      if (char === '(' && first === undefined) first = atoms.length;
      else if (char === ')' && first !== undefined && end === undefined) end = atoms.length;
      else {
        const set = this.#set();
        atoms.push({ set, ...this.#count() });
        continue;
      }
      this.#at++;
    }
    if (first === undefined) return { atoms, secret: { first: 0, end: atoms.length } };
    if (end === undefined || end === first) throw new Error('the group ( ) must be closed, and not be empty');
    return { atoms, secret: { first, end } };
  }

  #set(): CharacterSet {
    const char = this.#source[this.#at++]!;
    if (char === '[') return this.#class();
    if (char === '\\') return this.#escaped();
    if (char === '.') return without(new Set());
    if ('{}()*+?|^$]'.includes(char))
      throw new Error(
        `${char} at ${this.#at} is not part of this language; put \\ before it if it is meant itself`,
      );
    return new Set([codeIn(char, 0)]);
  }

  #escaped(): CharacterSet {
    const char = this.#source[this.#at++];
    if (char === undefined) throw new Error('ends with \\');
    const known = CLASSES[char];
    if (known) return known;
    if (WORD.has(codeIn(char, 0))) throw new Error(`\\${char} is not part of this language`);
    return new Set([codeIn(char, 0)]);
  }

  #class(): CharacterSet {
    const isNegated = this.#source[this.#at] === '^';
    if (isNegated) this.#at++;
    const set = new Set<number>();
    for (let char = this.#source[this.#at]; char !== ']'; char = this.#source[this.#at]) {
      if (char === undefined) throw new Error('a class [ is not closed');
      this.#at++;
      const part = char === '\\' ? this.#escaped() : new Set([codeIn(char, 0)]);
      const last = this.#source[this.#at + 1];
      const isRange = this.#source[this.#at] === '-' && last !== undefined && last !== ']' && part.size === 1;
      if (isRange) this.#at += 2;
      for (const code of isRange ? range(char, last) : part) set.add(code);
    }
    this.#at++;
    if (set.size === 0) throw new Error('a class [ ] is empty');
    return isNegated ? without(set) : set;
  }

  #count(): { min: number; max: number } {
    const rest = this.#source.slice(this.#at);
    const [text = '', least = '', most] = /^(?:\?|\{(\d{1,5})(?:,(\d{1,5}))?\})/.exec(rest) ?? [];
    this.#at += text.length;
    if (text === '') return { min: 1, max: 1 };
    if (text === '?') return { min: 0, max: 1 };
    const [min, max] = [Number(least), Number(most ?? least)];
    if (max < min || max === 0) throw new Error(`${text} repeats nothing`);
    return { min, max };
  }
}

function without(set: CharacterSet): CharacterSet {
  return new Set(CODES.filter((code) => code >= 0x20 && code !== 0x7f && !set.has(code)));
}

function range(first: string, last: string): ReadonlySet<number> {
  const [from, to] = [codeIn(first, 0), codeIn(last, 0)];
  if (from > to) throw new Error(`the range ${first}-${last} is empty`);
  return new Set(CODES.slice(from, to + 1));
}
