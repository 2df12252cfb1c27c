/**
 * Returns the length (0 to 3) of an unfinished UTF-8 character at the end of `bytes`. Bytes that begin no character are
 * not unfinished, since a decoder replaces them at once.
 */
export function unfinishedCharacter(bytes: Uint8Array): number {
  const last = bytes.length - 1;
  for (let back = 0; back < 3 && back <= last; back++) {
    const byte = bytes[last - back]!;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue; // a continuation byte: its lead byte is further back
    const size = byte > 0xf7 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    if (size <= back + 1) return 0;
    return mayBegin(bytes, last - back) ? back + 1 : 0;
  }
  return 0;
}

/**
 * Returns whether the lead byte at `lead` and the bytes after it may begin a character. An overlong form, a surrogate
 * or a value past U+10FFFF is already invalid at its first or second byte, where a decoder replaces it.
 */
function mayBegin(bytes: Uint8Array, lead: number): boolean {
  const first = bytes[lead]!;
  const second = bytes[lead + 1];
  if (first < 0xc2 || first > 0xf4) return false;
  if (second === undefined) return true;
  switch (first) {
    case 0xe0:
      return second >= 0xa0;
    case 0xed:
      return second < 0xa0;
    case 0xf0:
      return second >= 0x90;
    case 0xf4:
      return second < 0x90;
    default:
      return true;
  }
}
