/** Half of a surrogate pair; no text in the index contains it. */
export const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * Cuts a text into pieces of at most `maxBytes` of UTF-8, between lines; a line that is longer is cut between
 * characters. The line ends between pieces are left out.
 *
 * @param text - well-formed, lines joined with newlines
 */
export function splitLines(text: string, maxBytes: number): string[] {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text === '' ? [] : [text];
  const bytes = Buffer.from(text, 'utf8');
  const pieces: string[] = [];
  let begin = 0;
  while (bytes.length - begin > maxBytes) {
    const lineEnd = bytes.lastIndexOf(0x0a, begin + maxBytes);
    const isWhole = lineEnd > begin;
    let end = isWhole ? lineEnd : begin + maxBytes;
    while (!isWhole && isContinuation(bytes[end]!)) end--;
    pieces.push(bytes.toString('utf8', begin, end));
    begin = isWhole ? end + 1 : end;
  }
  pieces.push(bytes.toString('utf8', begin));
  return pieces.filter((piece) => piece !== '');
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
