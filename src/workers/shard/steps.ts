/** Work in steps of a few milliseconds, which returns a `Result` at the end. */
export type Steps<Result> = Generator<void, Result, void>;

/** Does all steps at once and returns the result. */
export function drain<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Cells read plus UTF-16 units written in one step: about 2 ms. A step may exceed it by one row. */
const STEP_WORK = 32 * 1024;

/** Ends steps by the amount of work done in them, not by the time that it takes. */
export class Pace {
  #work = 0;

  add(work: number): void {
    this.#work += work;
  }

  /** Adds work and returns whether the step is over; if so, the next step begins. */
  isOver(work = 0): boolean {
    this.#work += work;
    if (this.#work < STEP_WORK) return false;
    this.#work = 0;
    return true;
  }
}
