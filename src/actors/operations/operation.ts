import type { KeptAnswer, Plan } from './kept-operation.js';

interface Steps {
  begin(plan: Plan): Promise<void>;
  end(answer: KeptAnswer, isOpen: boolean): void;
}

/** The work of one request that is done once, however often it is asked for. */
export class Operation {
  /** Under which it types. */
  readonly id: string;
  /** It was begun before, by this plan, and may have been done in part. */
  readonly earlier: Plan | undefined;
  readonly #steps: Steps;
  #isOpen = false;

  constructor(id: string, earlier: Plan | undefined, steps: Steps) {
    this.id = id;
    this.earlier = earlier;
    this.#steps = steps;
  }

  /**
   * The plan by which it is done: the earlier one, else `make`'s. It is on the disk when this resolves; until then
   * nothing may be typed or started. Rejects with `unavailable` where it could not be written.
   */
  async begin(make: () => Plan | Promise<Plan>): Promise<Plan> {
    if (this.earlier) return this.earlier;
    const plan = await make();
    await this.#steps.begin(plan);
    return plan;
  }

  /** Has the answer, which does not tell all, not kept: a retry does the operation again, under its id. */
  leaveOpen(): void {
    this.#isOpen = true;
  }

  /** Tells the answer, to all who wait for it, too. */
  end(answer: KeptAnswer): void {
    this.#steps.end(answer, this.#isOpen);
  }
}
