/** Place where the text of a range continues; plain data, since it goes to clients of the shard and back. */
export interface TextPlace {
  /** Position after the output whose text has been returned. */
  position: number;
  /** Position of the first line that may still be on the screen; `position` if none may be. */
  context: number;
  /** Rows of the screen at the beginning of the range. */
  rows: number;
  /** Whether `position` is within a long line. */
  isWithinLine: boolean;
}

/** A range of output; the query asks for its next piece of text. */
export interface PieceQuery {
  start: string;
  /** Absent if the range continues as the terminal prints. */
  end?: string;
  /** Place where the previous piece ended; absent for the first piece. */
  place?: TextPlace;
  /** Bytes of output after which the piece ends. It may be longer, since it ends with a line. */
  maxBytes: number;
}

/** The next piece of the text of a range of output. Pieces join to the text that `rangeText` returns. */
export interface RangePiece {
  /** Whether output between the previous piece and this piece is missing, because the history has dropped it. */
  gap: boolean;
  /** Number of lines at the end of the earlier pieces that have been drawn over; this piece has them anew. */
  dropped: number;
  text: string;
  place: TextPlace;
  /** Position after the output that was read. The text of the end of that output may not be settled yet. */
  position: number;
  /** Bytes of output that were read and whose text is not settled yet. */
  waitingBytes: number;
  /** Whether there is more output to read at once. */
  hasMore: boolean;
}

/** Calls to a shard about pieces of text. */
export interface PieceApi {
  /** Returns the next piece of the text of a range, as far as that text is settled. Throws `invalid-cursor`. */
  rangePiece(id: string, query: PieceQuery): Promise<RangePiece>;
}
