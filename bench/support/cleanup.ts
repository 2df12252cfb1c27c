/** Ends everything that a case has started, however the case ends, in reverse order. */
export class Cleanup {
  readonly #steps: Array<() => Promise<unknown>> = [];
  #running: Promise<void> | undefined;

  /** Calls `end` at the end of the case, or at once if the case is over already. */
  defer(end: () => Promise<unknown>): void {
    this.#steps.push(end);
    // The case was interrupted before this step was deferred, so that no later run would call the step.
    if (this.#running) this.#running = this.#running.then(() => this.#runAll());
  }

  /** Waits for something to start, and ends it at the end of the case, even if the case is interrupted meanwhile. */
  own<T>(starting: Promise<T>, end: (started: T) => Promise<unknown>): Promise<T> {
    // A failed start needs no end. Its error goes to the caller, who gets the same promise.
    this.defer(() => starting.then(end, () => {}));
    return starting;
  }

  /** Ends everything, once. Rejects with all errors after the last step. */
  run(): Promise<void> {
    this.#running ??= this.#runAll();
    return this.#running;
  }

  async #runAll(): Promise<void> {
    const errors: unknown[] = [];
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      await step().catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0)
      throw new AggregateError(errors, 'some processes, servers or folders of the case could not be removed');
  }
}
