/** Work in steps of a few milliseconds; what it gives in the end. */
export type Steps<Result> = Generator<void, Result, void>;

/** Does all of it at once. */
export function drain<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Cells read and units written in one step: about 2 ms. A row more may come. */
const STEP_WORK = 32 * 1024;

/** Ends steps by the work that is done in them, not by the time that takes. */
export class Pace {
  #work = 0;

  add(work: number): void {
    this.#work += work;
  }

  /** Whether a step is over with so much more work; the next one begins then. */
  isOver(work = 0): boolean {
    this.#work += work;
    if (this.#work < STEP_WORK) return false;
    this.#work = 0;
    return true;
  }
}
