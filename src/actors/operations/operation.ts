import type { KeptAnswer, Plan } from './kept-operation.js';

/** How an attempt has ended. */
export interface Ending {
  /** The part of the plan that a retry needs, if the answer leaves an outcome unknown. */
  open: Partial<Plan> | undefined;
  /** Whether an earlier attempt has begun. */
  isRetry: boolean;
}

interface Steps {
  begin(plan: Plan): Promise<void>;
  end(answer: KeptAnswer, open: Partial<Plan> | undefined): void;
}

/** The work of one request, which is done once, however often the request is repeated. */
export class Operation {
  /** Id under which it types, see `TypeOptions`. */
  readonly id: string;
  /** The plan of an earlier attempt, which may have done part of the work; undefined at the first attempt. */
  readonly earlier: Plan | undefined;
  readonly #steps: Steps;
  #open: Partial<Plan> | undefined;

  constructor(id: string, earlier: Plan | undefined, steps: Steps) {
    this.id = id;
    this.earlier = earlier;
    this.#steps = steps;
  }

  /**
   * Resolves with the plan to follow: the plan of an earlier attempt, else the result of `make`. The plan is on disk by
   * then; before that nothing may be typed or started. Rejects with `unavailable` if it could not be written.
   */
  async begin(make: () => Plan | Promise<Plan>): Promise<Plan> {
    if (this.earlier) return this.earlier;
    const plan = await make();
    await this.#steps.begin(plan);
    return plan;
  }

  /**
   * Prevents the answer from being kept, because it leaves an outcome unknown: a retry does the operation again, under
   * its id.
   *
   * @param done - what a retry must know of this attempt, which is added to the plan
   */
  leaveOpen(done: Partial<Plan> = {}): void {
    this.#open = done;
  }

  /** Ends the operation with this answer, which all waiting repetitions get, too. */
  end(answer: KeptAnswer): void {
    this.#steps.end(answer, this.#open);
  }
}
