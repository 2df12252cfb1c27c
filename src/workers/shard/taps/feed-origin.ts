import { decodeCursor, type ReadCursor } from '../reader.js';

/** Where a shard takes a terminal in. */
export interface FeedOrigin {
  /** Output before it is on the screen already, output after it comes. */
  position: number;
  /** Up to here output is there; a cursor past it is not of this terminal. */
  end: number;
  cols: number;
  rows: number;
}

export interface FeedBeginning {
  /** Position of the first byte to feed. */
  position: number;
  /** How the screen stood there; undefined when it is the origin's, which the screen has to be asked for. */
  resumed: ReadCursor | undefined;
  /** Bytes between the cursor and the origin: printed, and gone. */
  leftOut: number;
}

/** Where feeding begins: after the cursor up to which it was fed before, or at what is still to be had. */
export function originOf({ position, end }: FeedOrigin, cursor: string | undefined): FeedBeginning {
  const fed = cursor === undefined ? undefined : readCursor(cursor, end);
  if (fed && fed.position >= position) return { position: fed.position, resumed: fed, leftOut: 0 };
  return { position, resumed: undefined, leftOut: fed ? position - fed.position : 0 };
}

/** What was stored may be damaged. */
function readCursor(text: string, end: number): ReadCursor | undefined {
  try {
    return decodeCursor(text, end);
  } catch {
    return undefined;
  }
}
