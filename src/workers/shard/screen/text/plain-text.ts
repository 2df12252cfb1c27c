import type { PrintStart } from './print-start.js';
import type { Segment } from './printed.js';
import { BREAK, TextStream } from './text-stream.js';

/**
 * Returns the exact text that a program wrote, including tabs, empty lines and trailing blanks, if it wrote line by
 * line and overwrote nothing: without escape sequences, and with LF in place of CR LF. Undefined when the cursor was
 * moved, or anything was erased or overwritten: then the output must be rendered.
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
