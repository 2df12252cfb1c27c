import { type RestartBudget, restartAfter } from './restart-budget.js';

/** Restart policy of a child, and the callbacks for its life. */
export interface ChildSpec<Child> {
  budget: RestartBudget;
  start: () => Child;
  /** Resolves with the reason when the child has ended. */
  died: (child: Child) => Promise<Error>;
  /** Called when a child died and another takes its place after `delayMs` milliseconds. */
  ended?: (reason: Error, delayMs: number) => void;
  /** Called when a new child has replaced a dead child. */
  restarted: (child: Child, reason: Error) => void;
  /** Called when the budget is spent: no child runs, until the next try if the budget has retries. */
  gaveUp: (reason: Error) => void;
}

/** Keeps one child running, within its restart budget. */
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

  /** The current child. After `gaveUp`, and while a restart is delayed, it is the last child that died. */
  get child(): Child {
    return this.#child;
  }

  /** Whether the last child has died and the next start is delayed. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** Whether no further child will start: supervision was stopped, or gave up. */
  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Stops supervision: the next death is an intended end, not a fault. */
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
