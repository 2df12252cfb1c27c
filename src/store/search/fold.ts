/** Matches non-ASCII characters that any change of case changes. Most text has none, even with box drawing or emoji. */
const CASED = /[^\P{Changes_When_Casemapped}A-Za-z]/u;
const CASED_CHARACTERS = new RegExp(CASED, 'gu');

/**
 * Returns a text as searches compare it, in which characters that differ only in case are the same. Characters are
 * folded one by one and keep their length in UTF-16, so that positions in the folded text are positions in the text.
 * Folding goes via the upper case, which unites all forms of a letter (final sigma, long s).
 */
export function fold(text: string): string {
  if (!CASED.test(text)) return text.toLowerCase();
  const ascii = text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
  return ascii.replace(CASED_CHARACTERS, foldCharacter);
}

/** Folds one code point. */
export function foldCharacter(character: string): string {
  // Its lower case is two characters: an i and a combining dot.
  if (character === 'İ') return 'i';
  const upper = sameLength(character.toUpperCase(), character);
  return sameLength(upper.toLowerCase(), upper);
}

function sameLength(mapped: string, character: string): string {
  return mapped.length === character.length ? mapped : character;
}

/** A text without its capitals, for searches, and the marks that restore the text. */
export interface Folded {
  text: string;
  /** Where folding changed the text, for {@link unfold}. */
  marks: Uint8Array;
}

/**
 * Folds `text` and marks each change with a number: the distance from the change before, doubled, plus one if the
 * character is no ASCII letter; its code point follows then. Numbers have seven bits in each byte, the lowest bits
 * first.
 */
export function foldMarked(text: string): Folded {
  const folded = fold(text);
  const marks: number[] = [];
  let after = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    const isCapital = unit >= 0x41 && unit <= 0x5a;
    if (unit < 0x80) {
      if (!isCapital) continue;
    } else if (unit === folded.charCodeAt(index)) {
      // In a surrogate pair, only the second half may have changed.
      const isPair = unit >= 0xd800 && unit < 0xdc00;
      if (!isPair || text.charCodeAt(index + 1) === folded.charCodeAt(index + 1)) continue;
    }
    pushNumber(marks, (index - after) * 2 + (isCapital ? 0 : 1));
    const codePoint = text.codePointAt(index) ?? 0;
    if (!isCapital) pushNumber(marks, codePoint);
    if (codePoint > 0xffff) index++;
    after = index + 1;
  }
  return { text: folded, marks: Uint8Array.from(marks) };
}

/** Restores the text of a {@link foldMarked}. Throws RangeError for marks that it did not make. */
export function unfold({ text, marks }: Folded): string {
  const pieces: string[] = [];
  let after = 0;
  for (let at = 0; at < marks.length; ) {
    let number: number;
    [number, at] = readNumber(marks, at);
    const index = after + Math.floor(number / 2);
    if (index >= text.length) throw new RangeError('a mark lies outside of its text');
    let original = String.fromCharCode(text.charCodeAt(index) - 0x20);
    if (number % 2 === 1) {
      let codePoint: number;
      [codePoint, at] = readNumber(marks, at);
      original = String.fromCodePoint(codePoint);
    }
    pieces.push(text.slice(after, index), original);
    after = index + original.length;
  }
  return pieces.join('') + text.slice(after);
}

function pushNumber(bytes: number[], number: number): void {
  let rest = number;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
}

/** Returns the number at `at`, and the position after it. */
function readNumber(bytes: Uint8Array, at: number): [number, number] {
  let number = 0;
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = bytes[at++];
    if (byte === undefined) throw new RangeError('marks end within a number');
    number |= (byte & 0x7f) << shift;
    if (byte < 0x80) return [number, at];
  }
  throw new RangeError('a number of the marks is too large');
}
