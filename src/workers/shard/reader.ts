import { DomainError } from '../../contract/errors.js';
import { DEFAULT_OUTPUT_LINES } from '../../contract/limits.js';
import type { OutputPage } from '../../contract/terminal.js';

/** Where a client has read up to: a position in the output, and where the cursor stood on the screen there. */
export interface ReadCursor {
  position: number;
  row: number;
  col: number;
  altScreen: boolean;
}

/** The opaque form that clients hold. */
export function encodeCursor({ position, row, col, altScreen }: ReadCursor): string {
  return [position, row, col, altScreen ? 1 : 0].map((part) => part.toString(36)).join('-');
}

/** Reads {@link encodeCursor}; `end` is the position after the last byte. Throws `invalid-cursor`. */
export function decodeCursor(text: string, end: number): ReadCursor {
  if (!/^[0-9a-z]+-[0-9a-z]+-[0-9a-z]+-[01]$/.test(text)) throw new DomainError('invalid-cursor');
  const [position = 0, row = 0, col = 0, alt = 0] = text.split('-').map((part) => Number.parseInt(part, 36));
  if (position > end || row > 0xffff || col > 0xffff) throw new DomainError('invalid-cursor');
  return { position, row, col, altScreen: alt === 1 };
}

/**
 * The page of `lines` that SPEC.md's output rules select: offset 0 is the last `count` lines, another offset
 * pages forward from that line.
 */
export function page(
  lines: string[],
  { count = DEFAULT_OUTPUT_LINES, offset }: { count?: number | undefined; offset: number },
): OutputPage {
  const begin = offset === 0 ? Math.max(0, lines.length - count) : offset;
  return { totalLines: lines.length, offset, raw: lines.slice(begin, begin + count).join('\n') };
}
