import { DomainError } from '../../contract/errors.js';

/** Place of a screen's cursor; row and column are counted from 0. */
export interface Cursor {
  row: number;
  col: number;
  altScreen: boolean;
}

/** Place up to which a client has read: a position in the output, and the screen's cursor at that position. */
export interface ReadCursor extends Cursor {
  position: number;
}

/** Returns a cursor in the opaque form that clients hold. */
export function encodeCursor({ position, row, col, altScreen }: ReadCursor): string {
  return [position, row, col, altScreen ? 1 : 0].map((part) => part.toString(36)).join('-');
}

/** Returns the position in the output of a cursor that the service has made. Throws `invalid-cursor` for any other text. */
export function positionOf(cursor: string): number {
  return decodeCursor(cursor, Number.POSITIVE_INFINITY).position;
}

/** Decodes {@link encodeCursor}. Throws `invalid-cursor`, also for a position after `end`, the end of the output. */
export function decodeCursor(text: string, end: number): ReadCursor {
  if (!/^[0-9a-z]{1,11}-[0-9a-z]{1,4}-[0-9a-z]{1,4}-[01]$/.test(text))
    throw new DomainError('invalid-cursor');
  const [position = 0, row = 0, col = 0, alt = 0] = text.split('-').map((part) => Number.parseInt(part, 36));
  if (position > end) throw new DomainError('invalid-cursor');
  return { position, row, col, altScreen: alt === 1 };
}
