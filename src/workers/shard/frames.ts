/** Returns the length (0 to 3) of an unfinished UTF-8 character at the end of `bytes`: it belongs to the next frame. */
export function unfinishedCharacter(bytes: Uint8Array): number {
  const last = bytes.length - 1;
  for (let back = 0; back < 3 && back <= last; back++) {
    const byte = bytes[last - back]!;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue; // a continuation byte: its lead byte is further back
    const size =
      byte >= 0xf0 && byte <= 0xf4
        ? 4
        : byte >= 0xe0 && byte < 0xf0
          ? 3
          : byte >= 0xc2 && byte < 0xe0
            ? 2
            : 0;
    return size > back + 1 && couldContinue(bytes, last - back) ? back + 1 : 0;
  }
  return 0;
}

/**
 * Whether the lead byte at `lead` and the bytes after it may begin a character. An overlong form, a surrogate or a
 * value past U+10FFFF is already invalid at its second byte, where a decoder replaces it.
 */
function couldContinue(bytes: Uint8Array, lead: number): boolean {
  const second = bytes[lead + 1];
  if (second === undefined) return true;
  switch (bytes[lead]) {
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
