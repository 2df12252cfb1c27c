import { decodeCursor, type ReadCursor } from '../reader.js';

/** Place in the output where a shard takes a terminal in. */
export interface FeedOrigin {
  /** Output before this position is already on the screen; output after it will come. */
  position: number;
  /** Position where the output so far ends; a cursor beyond it does not belong to this terminal. */
  end: number;
  cols: number;
  rows: number;
}

export interface FeedBeginning {
  /** Position of the first byte to feed. */
  position: number;
  /** Cursor at that position; undefined if that is the origin, whose cursor the screen actor must be asked for. */
  resumed: ReadCursor | undefined;
  /** Bytes between the stored cursor and the origin, which were printed and are gone. */
  leftOut: number;
}

/** Returns where feeding begins: at the cursor up to which output was fed before, or at the origin if that is later. */
export function beginningOf({ position, end }: FeedOrigin, cursor: string | undefined): FeedBeginning {
  const fed = cursor === undefined ? undefined : readCursor(cursor, end);
  if (fed && fed.position >= position) return { position: fed.position, resumed: fed, leftOut: 0 };
  return { position, resumed: undefined, leftOut: fed ? position - fed.position : 0 };
}

/** Returns undefined for a damaged cursor, since stored data may be damaged. */
function readCursor(text: string, end: number): ReadCursor | undefined {
  try {
    return decodeCursor(text, end);
  } catch {
    return undefined;
  }
}
