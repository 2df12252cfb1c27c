import { DomainError } from '../../contract/errors.js';
import { MAX_RUNNING_SEARCHES, MAX_SEARCHES, SEARCH_DEADLINE_MS } from '../../contract/limits.js';

/** A moment by which a search must have answered. */
export interface Deadline {
  /** Rejects with `unavailable` at that moment. */
  passed: Promise<never>;
}

/** Runs a few searches at a time, in the order in which they came; a bounded number waits. */
export class SearchTurns {
  #running = 0;
  readonly #waiting: Array<() => void> = [];

  /**
   * Runs `work` when its turn comes. Rejects with `unavailable` when too many wait already, or when the deadline passes
   * first, which starts with this call. After its turn has come, `work` itself has to end at the deadline.
   */
  async take<Result>(work: (deadline: Deadline) => Promise<Result>): Promise<Result> {
    if (this.#running + this.#waiting.length >= MAX_SEARCHES) throw new DomainError('unavailable');
    const deadline = deadlineIn(SEARCH_DEADLINE_MS);
    try {
      await this.#begin(deadline);
      try {
        return await work(deadline);
      } finally {
        this.#end();
      }
    } finally {
      deadline.clear();
    }
  }

  async #begin({ passed }: Deadline): Promise<void> {
    if (this.#running < MAX_RUNNING_SEARCHES) {
      this.#running++;
      return;
    }
    let go = () => {};
    const turn = new Promise<void>((resolve) => {
      go = resolve;
    });
    this.#waiting.push(go);
    try {
      await Promise.race([turn, passed]);
    } catch (error) {
      const place = this.#waiting.indexOf(go);
      if (place !== -1) this.#waiting.splice(place, 1);
      // The turn came at the same moment as the deadline.
      else this.#end();
      throw error;
    }
  }

  /** Ends a turn; the next search that waits takes over its place. */
  #end(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running--;
  }
}

function deadlineIn(ms: number): Deadline & { clear: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DomainError('unavailable')), ms);
  });
  passed.catch(() => undefined);
  return { passed, clear: () => clearTimeout(timer) };
}
