const BACKSLASH = 0x5c;
const HEX = Buffer.from('0123456789abcdef');

const LETTER_U = 0x75;
const DIGIT_0 = 0x30;

/** For each byte: 0 if it is itself in a JSON string, else the letter after the backslash of its escape. */
const ESCAPES = escapes();

/** Most bytes that one byte becomes: the six of a control character without its own letter, such as `\u001b`. */
export const MAX_ESCAPED_BYTES = 6;

/** Words of four equal bytes, to compare four characters at a time. */
const ONES = 0x01010101;
const HIGH_BITS = 0x80808080;
const BLANKS = 0x20202020;
const QUOTES = 0x22222222;
const BACKSLASHES = 0x5c5c5c5c;

/** A shorter source is not worth the views that reading by words takes. */
const MIN_WORDS_BYTES = 32;

/**
 * Writes `source` as it appears between the quotes of a JSON string, byte for byte as JSON.stringify writes its text.
 * Returns the index after the result.
 *
 * Copies four bytes at a time as long as none of them needs an escape. Subtracting the compared value from a word sets
 * the high bit of each lower byte, by a borrow. A borrow that spreads wrongly marks only bytes above the lowest marked
 * byte, and those bytes are read again.
 *
 * @param source - valid UTF-8; otherwise the target is invalid UTF-8, too
 * @param target - has room for {@link MAX_ESCAPED_BYTES} for each byte of the source
 */
export function escapeInto(source: Uint8Array, target: Uint8Array, at: number): number {
  if (source.length < MIN_WORDS_BYTES) return escapeBytes(source, 0, target, at);
  const from = new DataView(source.buffer, source.byteOffset, source.byteLength);
  const to = new DataView(target.buffer, target.byteOffset, target.byteLength);
  const lastWord = source.length - 4;
  let read = 0;
  let written = at;
  while (read <= lastWord) {
    const word = from.getInt32(read, true);
    const quotes = word ^ QUOTES;
    const backslashes = word ^ BACKSLASHES;
    const marks =
      (((word - BLANKS) & ~word) | ((quotes - ONES) & ~quotes) | ((backslashes - ONES) & ~backslashes)) &
      HIGH_BITS;
    to.setInt32(written, word, true);
    if (marks === 0) {
      read += 4;
      written += 4;
      continue;
    }
    // The bytes below the lowest mark are already written.
    const clean = (31 - Math.clz32(marks & -marks)) >> 3;
    read += clean;
    written = escapeByte(source[read++]!, target, written + clean);
  }
  return escapeBytes(source, read, target, written);
}

function escapeBytes(source: Uint8Array, from: number, target: Uint8Array, at: number): number {
  let written = at;
  for (let read = from; read < source.length; read++) {
    const byte = source[read]!;
    if (ESCAPES[byte] === 0) target[written++] = byte;
    else written = escapeByte(byte, target, written);
  }
  return written;
}

/** Writes a byte that needs an escape; returns the index after it. */
function escapeByte(byte: number, target: Uint8Array, at: number): number {
  const letter = ESCAPES[byte]!;
  target[at] = BACKSLASH;
  target[at + 1] = letter;
  if (letter !== LETTER_U) return at + 2;
  target[at + 2] = DIGIT_0;
  target[at + 3] = DIGIT_0;
  target[at + 4] = HEX[byte >> 4]!;
  target[at + 5] = HEX[byte & 0xf]!;
  return at + MAX_ESCAPED_BYTES;
}

function escapes(): Uint8Array {
  const table = new Uint8Array(256).fill(LETTER_U, 0, 0x20);
  for (const character of '\b\t\n\f\r"\\') {
    table[character.charCodeAt(0)] = JSON.stringify(character).charCodeAt(2);
  }
  return table;
}
