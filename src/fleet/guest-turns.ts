import pLimit from 'p-limit';

/** Messages of one guest that may wait at once: a proper guest has one question at a time. */
const MAX_WAITING = 4;

/** Handles the messages of each guest one after the other, and drops those of a guest that floods. */
export class GuestTurns {
  readonly #turns = new Map<string, { inTurn: ReturnType<typeof pLimit>; count: number }>();

  /** Resolves with what `work` resolves with, after earlier messages by this invitation; undefined if it was dropped. */
  async run<Result>(inviteId: string, work: () => Promise<Result>): Promise<Result | undefined> {
    const turn = this.#turns.get(inviteId) ?? { inTurn: pLimit(1), count: 0 };
    if (turn.count > MAX_WAITING) return undefined;
    this.#turns.set(inviteId, turn);
    turn.count++;
    try {
      return await turn.inTurn(work);
    } finally {
      if (--turn.count === 0) this.#turns.delete(inviteId);
    }
  }
}
