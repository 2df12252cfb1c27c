/** Rest of an unfinished character of UTF-8: number of bytes that must follow, and bounds of the next byte. */
export interface Continuation {
  left: number;
  min: number;
  max: number;
}

/**
 * Returns the bytes that must follow a lead byte, from 0xC2 to 0xF4, so that there is no overlong form, surrogate, value
 * past U+10FFFF or C1 control.
 */
export function continuationOf(lead: number): Continuation {
  const min = lead === 0xc2 || lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const max = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  return { left: lengthOf(lead) - 1, min, max };
}

/** Returns the number of bytes of a character with this lead byte, from 0xC2 to 0xF4. */
export function lengthOf(lead: number): number {
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/** Returns the code point of the character of several bytes at a place; undefined for C1 controls and for invalid bytes. */
export function characterAt(bytes: Uint8Array, at: number): number | undefined {
  const lead = bytes[at]!;
  if (lead < 0xc2 || lead > 0xf4) return undefined;
  const second = followingAt(bytes, at + 1);
  if (lead < 0xe0) return valid(((lead & 0x1f) << 6) | second, 0xa0);
  const third = followingAt(bytes, at + 2);
  const point = (second << 6) | third;
  if (lead < 0xf0) return valid(((lead & 0x0f) << 12) | point, 0x800);
  return valid(((lead & 0x07) << 18) | (point << 6) | followingAt(bytes, at + 3), 0x10000);
}

/** All bits: with these, a character is negative, however it is put together. */
const INVALID = -1;

/** Returns the bits of a byte that follows a lead byte; INVALID for any other byte. */
function followingAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0;
  return (byte & 0xc0) === 0x80 ? byte & 0x3f : INVALID;
}

/** Returns the character unless it is below `least`: then it is a control character or an overlong form. */
function valid(point: number, least: number): number | undefined {
  const isHalfOfPair = point >= 0xd800 && point < 0xe000;
  return point >= least && point <= 0x10ffff && !isHalfOfPair ? point : undefined;
}
