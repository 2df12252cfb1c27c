import { DomainError } from '../../contract/errors.js';

/** Where the cursor of a screen stands: row and column are counted from 0. */
export interface Cursor {
  row: number;
  col: number;
  altScreen: boolean;
}

/** Where a client has read up to: a position in the output, and where the cursor stood on the screen there. */
export interface ReadCursor extends Cursor {
  position: number;
}

/** The opaque form that clients hold. */
export function encodeCursor({ position, row, col, altScreen }: ReadCursor): string {
  return [position, row, col, altScreen ? 1 : 0].map((part) => part.toString(36)).join('-');
}

/** Reads {@link encodeCursor}; `end` is the position after the last byte. Throws `invalid-cursor`. */
export function decodeCursor(text: string, end: number): ReadCursor {
  if (!/^[0-9a-z]{1,11}-[0-9a-z]{1,4}-[0-9a-z]{1,4}-[01]$/.test(text))
    throw new DomainError('invalid-cursor');
  const [position = 0, row = 0, col = 0, alt = 0] = text.split('-').map((part) => Number.parseInt(part, 36));
  if (position > end) throw new DomainError('invalid-cursor');
  return { position, row, col, altScreen: alt === 1 };
}
