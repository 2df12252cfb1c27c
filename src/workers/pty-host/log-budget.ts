import { MAX_LOG_BYTES, MAX_TOTAL_LOG_BYTES } from '../../contract/limits.js';

/** A terminal, as far as the budget needs to know it. */
export interface Budgeted {
  /** The limit has changed: read on, or pause, and ask for a checkpoint where one is due. */
  limitChanged(): void;
}

/**
 * Shares the memory of all logs. Each log may grow to MAX_LOG_BYTES, or to what is left of MAX_TOTAL_LOG_BYTES
 * when that is less: so the largest stop first, small ones go on, and no ranking is needed. (The dynamic
 * threshold of shared-memory switches, with factor 1.)
 */
export class LogBudget {
  #total = 0;
  readonly #terminals = new Set<Budgeted>();
  #tight = false;

  /** Bytes that one log may hold now. */
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

  /** A log has grown by `bytes`, or shrunk when negative. */
  changed(bytes: number): void {
    this.#total += bytes;
    const tight = this.limit < MAX_LOG_BYTES;
    // While memory is plenty a log's change concerns nobody else.
    const tell = tight !== this.#tight || (tight && bytes < 0);
    this.#tight = tight;
    if (tell) for (const terminal of this.#terminals) terminal.limitChanged();
  }
}
