import { LF } from '../ascii.js';
import { boundaryFrom } from './boundary.js';

/**
 * Returns the last `maxBytes` bytes (UTF-8) of a longer text: from the beginning of a line if one begins within the
 * first quarter of them, else from the beginning of a character, and never from within an escape sequence.
 */
export function truncateHead(text: string, maxBytes: number): { text: string; truncated: boolean } {
  // No UTF-16 unit takes more than three bytes.
  if (text.length * 3 <= maxBytes) return { text, truncated: false };
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return { text, truncated: false };
  let begin = bytes.length - maxBytes;
  const lineBegin = bytes.indexOf(LF, begin - 1) + 1;
  const isNear = lineBegin > 0 && lineBegin < bytes.length && lineBegin - begin <= maxBytes / 4;
  if (isNear) begin = lineBegin;
  const boundary = boundaryFrom([{ position: 0, bytes }], begin) ?? bytes.length;
  return { text: bytes.toString('utf8', boundary), truncated: true };
}
