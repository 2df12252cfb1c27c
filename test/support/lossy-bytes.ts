import fc from 'fast-check';

/** Text, broken text, and everything else that can confuse a lossy decoder, as bytes. */
export const lossyBytes = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 6 }).map((raw) => Buffer.from(raw)),
      fc
        .constantFrom([0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf4, 0x90])
        .map(Buffer.from),
      fc.constant(Buffer.from('\ufefftext after a byte order mark')),
      fc.constant(Buffer.from('\u2028 and \u2029, "quoted", c:\\path, \x7f\x00\x1b[1m')),
      fc.constant(Buffer.from('a line that is longer than a few words of memory, and plain\r\n')),
    ),
    { maxLength: 30 },
  )
  .map((parts) => Buffer.concat(parts as Buffer[]));

/** Returns the pieces of `whole` between these points, which are taken modulo its length plus 1. */
export function cutAt(whole: Buffer, points: number[]): Buffer[] {
  const sorted = [
    0,
    ...points.map((point) => point % (whole.length + 1)).sort((a, b) => a - b),
    whole.length,
  ];
  return sorted.slice(1).map((end, index) => whole.subarray(sorted[index], end));
}
