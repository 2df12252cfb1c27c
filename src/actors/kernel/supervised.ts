import { type RestartBudget, spendRestart } from './restart-budget.js';

/** What a supervisor needs to know of a child; the policy is data, the rest are its moments. */
export interface ChildSpec<Child> {
  budget: RestartBudget;
  start: () => Child;
  /** Resolves with the reason when the child has ended. */
  died: (child: Child) => Promise<Error>;
  /** A new child took the place of one that died. */
  restarted: (child: Child, reason: Error) => void;
  /** The budget is spent; nobody is there any more. */
  gaveUp: (reason: Error) => void;
}

/** Keeps one child running: one for one, within its budget. */
export class Supervised<Child> {
  readonly #spec: ChildSpec<Child>;
  #child: Child;
  #restarts: number[] = [];
  #stopped = false;

  constructor(spec: ChildSpec<Child>) {
    this.#spec = spec;
    this.#child = this.#startAndWatch();
  }

  /** The child of this moment. After `gaveUp` it is the last one that died. */
  get child(): Child {
    return this.#child;
  }

  /** From now on a death is an end, not a fault. */
  stop(): void {
    this.#stopped = true;
  }

  #startAndWatch(): Child {
    const child = this.#spec.start();
    void this.#spec.died(child).then((reason) => this.#onDeath(reason));
    return child;
  }

  #onDeath(reason: Error): void {
    if (this.#stopped) return;
    const restarts = spendRestart(this.#restarts, Date.now(), this.#spec.budget);
    if (!restarts) {
      this.#stopped = true;
      this.#spec.gaveUp(reason);
      return;
    }
    this.#restarts = restarts;
    this.#child = this.#startAndWatch();
    this.#spec.restarted(this.#child, reason);
  }
}
