/** A chart shows the last minute, in pieces of two seconds. */
const PIECE_MS = 2_000;
export const PIECES = 30;

interface History {
  /** Number of its last piece, counted from 1970. */
  last: number;
  /** Bytes printed in each piece, the newest last. */
  bytes: number[];
}

/** Bytes that each terminal has printed within the last minute, as reported since the page was opened. */
export class OutputHistory {
  readonly #histories = new Map<string, History>();

  add(id: string, bytes: number, now: number): void {
    const history = this.#histories.get(id) ?? { last: 0, bytes: [] };
    history.bytes = piecesUntil(history, now);
    history.last = Math.max(history.last, pieceOf(now));
    history.bytes[PIECES - 1]! += bytes;
    this.#histories.set(id, history);
  }

  forget(id: string): void {
    this.#histories.delete(id);
  }

  /** Forgets all other terminals: some may have been removed without an event to the page. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#histories.keys()) if (!ids.has(id)) this.#histories.delete(id);
  }

  /** Returns the bytes of each two seconds, the present piece last; empty if there were none within the minute. */
  of(id: string, now: number): readonly number[] {
    const history = this.#histories.get(id);
    if (!history || pieceOf(now) - history.last >= PIECES) return [];
    return piecesUntil(history, now);
  }
}

function pieceOf(now: number): number {
  return Math.floor(now / PIECE_MS);
}

/** A clock that goes back adds to the last piece. */
function piecesUntil({ last, bytes }: History, now: number): number[] {
  const passed = Math.min(PIECES, Math.max(0, pieceOf(now) - last));
  return [...bytes.slice(passed), ...new Array<number>(PIECES).fill(0)].slice(0, PIECES);
}

/** The history of this page. */
export const outputHistory = new OutputHistory();
