import type { PrintStart, Segment } from './printed.js';
import { BREAK, TextStream } from './text-stream.js';

/**
 * The very text that a program wrote, tabs, empty lines and trailing blanks included, when it wrote line after line
 * and nothing twice: without escape sequences, CR LF as LF. Undefined when the cursor was moved, or anything
 * erased or overwritten: what was printed then has to be rendered.
 */
export function plainText(
  segments: readonly Segment[],
  { col }: Pick<PrintStart, 'col'> = { col: 0 },
): string | undefined {
  const stream = new TextStream(col > 0);
  let text = '';
  for (const segment of segments) {
    if ('bytes' in segment) text += stream.push(segment.bytes);
  }
  text += stream.end();
  return text.includes(BREAK) ? undefined : text;
}
