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
  const left = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
  const min = lead === 0xc2 || lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const max = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  return { left, min, max };
}
