import pLimit from 'p-limit';
import { DomainError } from '../../contract/errors.js';
import { MAX_RUNNING_SEARCHES, MAX_SEARCHES, SEARCH_DEADLINE_MS } from '../../contract/limits.js';
import { unlessAborted } from '../abortable.js';

/** Runs a few searches at a time, in the order in which they came; a bounded number waits. */
export class SearchTurns {
  readonly #limit = pLimit(MAX_RUNNING_SEARCHES);
  #count = 0;

  /**
   * Runs `work` when its turn comes. Rejects with `unavailable` when too many wait already, or when the deadline passes
   * first, which starts with this call. After its turn has come, `work` itself has to end when `deadline` fires.
   */
  async take<Result>(work: (deadline: AbortSignal) => Promise<Result>): Promise<Result> {
    if (this.#count >= MAX_SEARCHES) throw new DomainError('unavailable');
    this.#count++;
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => controller.abort(new DomainError('unavailable')), SEARCH_DEADLINE_MS);
    try {
      return await this.#begun(signal, work);
    } finally {
      clearTimeout(timer);
      this.#count--;
    }
  }

  async #begun<Result>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const result = this.#limit(() => {
      signal.throwIfAborted();
      begin();
      return work(signal);
    });
    // A search that waited beyond its deadline has been answered before its turn comes.
    result.catch(() => undefined);
    await unlessAborted(begun, signal);
    return result;
  }
}
