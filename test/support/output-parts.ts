import fc from 'fast-check';

/** Parts that stand for one byte each, which is no UTF-8 or only a part of a character. */
const BAD_BYTES = ['\xff', '\xe2', '\x80'];

/** Parts of lines that are written from beginning to end. */
export const WRITTEN = [
  'a',
  'bc ',
  'd\te',
  'é',
  '日本',
  '😀',
  '\r\n',
  '\r\n',
  '\r\r\n',
  '\x1b[31m',
  '\x1b[m',
  '\x1b]0;t\x07',
  '\x1b[K',
  ...BAD_BYTES,
  'x'.repeat(50),
];
/** Parts that overwrite the line that they are on. */
export const OVERWRITTEN = [
  '\r',
  '\b',
  '\x1b[3D',
  '\x1b[2C',
  '\x1b[1K',
  '\x1b[2K',
  '\x1b[5G',
  '\x1b[P',
  '\x1b[4X',
  '\x1b[2@',
  '\x1b[3b',
  '\x1b[I',
  '\x1b[Z',
  '\r\x1b[J',
];
/** Parts that draw on other rows, or change how output is drawn. */
export const DRAWN = [
  '\x1b[A',
  '\x1b[2A',
  '\x1b[B',
  '\x1b[H',
  '\x1b[2J',
  '\x1b[J',
  '\x1b[H\x1b[2J',
  '\x1bM',
  '\x1b[L',
  '\x1b[M',
  '\x1b[2;4r',
  '\x1b[r',
  '\x1b[?1049h',
  '\x1b[?1049l',
  '\x1b7',
  '\x1b8',
  '\n',
  '\x0b',
  '\x1b(0',
  '\x1b(B',
  '\x1bc',
  '\x85',
  '\x1b[?7l',
  '\r\n'.repeat(7),
];

/** Output of random parts. */
export function outputOf(
  parts: readonly string[],
  length: { minLength?: number; maxLength: number },
): fc.Arbitrary<Buffer> {
  return fc
    .array(fc.constantFrom(...parts), { ...length, size: 'max' })
    .map((all) =>
      Buffer.concat(all.map((part) => Buffer.from(part, BAD_BYTES.includes(part) ? 'latin1' : 'utf8'))),
    );
}
