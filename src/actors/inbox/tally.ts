import type { WaitManyAnswer, WaitManyBody, WaitManyResult } from '../../contract/wait-many.js';

/** The results of one call, and whether they are enough. */
export class Tally {
  readonly #ids: readonly string[];
  readonly #needed: number;
  readonly #results = new Map<string, WaitManyResult>();
  #met = 0;

  /** @param ids - each id once */
  constructor(ids: readonly string[], mode: WaitManyBody['mode']) {
    this.#ids = ids;
    this.#needed = mode === 'any' ? 1 : mode === 'all' ? ids.length : mode;
  }

  /** Ids of terminals without a result. */
  get pending(): string[] {
    return this.#ids.filter((id) => !this.#results.has(id));
  }

  /** Whether too little has happened yet, and enough still can. */
  get isOpen(): boolean {
    const pending = this.#ids.length - this.#results.size;
    return this.#met < this.#needed && this.#met + pending >= this.#needed;
  }

  /** Takes the first result of a terminal, and ignores all others. */
  add(result: WaitManyResult): void {
    if (this.#results.has(result.terminalId)) return;
    this.#results.set(result.terminalId, result);
    if (result.event !== null) this.#met++;
  }

  answer(): WaitManyAnswer {
    const { pending } = this;
    const total = this.#ids.length;
    const gone = this.#results.size - this.#met;
    return {
      // A selector that selects no terminal has found nothing to wait for, so the wait is not done.
      done: total > 0 && this.#met >= this.#needed,
      results: this.#ids.flatMap((id) => this.#results.get(id) ?? []),
      pending,
      summary: { total, met: this.#met, gone, pending: pending.length },
    };
  }
}
