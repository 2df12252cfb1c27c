import { MAX_LOG_BYTES, MAX_TOTAL_LOG_BYTES } from '../../../contract/limits.js';

/** A terminal as the budget sees it. */
export interface Budgeted {
  /** Called when the limit has changed: reads on or pauses, and asks for a checkpoint if one is due. */
  limitChanged(): void;
}

/**
 * Shares the memory of all logs. Each log may grow to MAX_LOG_BYTES, or to the unused part of MAX_TOTAL_LOG_BYTES if
 * that is less. So the largest logs stop first, small ones go on, and no ranking is needed. (This is the dynamic
 * threshold of shared-memory switches, with factor 1.)
 */
export class LogBudget {
  #total = 0;
  readonly #terminals = new Set<Budgeted>();
  #tight = false;

  /** Bytes that one log may hold at present. */
  get limit(): number {
    return Math.min(MAX_LOG_BYTES, MAX_TOTAL_LOG_BYTES - this.#total);
  }

  get total(): number {
    return this.#total;
  }

  join(terminal: Budgeted): void {
    this.#terminals.add(terminal);
  }

  leave(terminal: Budgeted): void {
    this.#terminals.delete(terminal);
  }

  /** Records that a log has grown by `bytes`, or shrunk if negative. */
  changed(bytes: number): void {
    this.#total += bytes;
    const tight = this.limit < MAX_LOG_BYTES;
    // While memory is plentiful, a change of one log does not affect the others.
    const tell = tight !== this.#tight || (tight && bytes < 0);
    this.#tight = tight;
    if (tell) for (const terminal of this.#terminals) terminal.limitChanged();
  }
}
