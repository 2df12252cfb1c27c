import { type RestartBudget, restartAfter } from './restart-budget.js';

/** What a supervisor needs to know of a child; the policy is data, the rest are its moments. */
export interface ChildSpec<Child> {
  budget: RestartBudget;
  start: () => Child;
  /** Resolves with the reason when the child has ended. */
  died: (child: Child) => Promise<Error>;
  /** A child died, and another one takes its place after so many milliseconds. */
  ended?: (reason: Error, delayMs: number) => void;
  /** A new child took the place of one that died. */
  restarted: (child: Child, reason: Error) => void;
  /** The budget is spent; nobody is there any more, until another try where the budget has it. */
  gaveUp: (reason: Error) => void;
}

/** Keeps one child running: one for one, within its budget. */
export class Supervised<Child> {
  readonly #spec: ChildSpec<Child>;
  #child: Child;
  #restarts: number[] = [];
  #waiting: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(spec: ChildSpec<Child>) {
    this.#spec = spec;
    this.#child = this.#startAndWatch();
  }

  /** The child of this moment. After `gaveUp`, and while another one has to wait, it is the last one that died. */
  get child(): Child {
    return this.#child;
  }

  /** Whether the last child has died and the next one has to wait. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** Whether no other child is to come: stopped, or given up. */
  get isStopped(): boolean {
    return this.#stopped;
  }

  /** From now on a death is an end, not a fault. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
  }

  #startAndWatch(): Child {
    const child = this.#spec.start();
    void this.#spec.died(child).then((reason) => this.#onDeath(reason));
    return child;
  }

  #onDeath(reason: Error): void {
    if (this.#stopped) return;
    const { restarts, delayMs, isSpent } = restartAfter(this.#restarts, performance.now(), this.#spec.budget);
    this.#restarts = restarts;
    if (delayMs === undefined) this.#stopped = true;
    if (isSpent) this.#spec.gaveUp(reason);
    else this.#spec.ended?.(reason, delayMs ?? 0);
    if (this.#stopped) return;
    if (delayMs) this.#waiting = setTimeout(() => this.#restart(reason), delayMs);
    else this.#restart(reason);
  }

  #restart(reason: Error): void {
    this.#waiting = undefined;
    this.#child = this.#startAndWatch();
    this.#spec.restarted(this.#child, reason);
  }
}
