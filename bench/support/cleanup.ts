/** What a case has started and must be ended, whatever becomes of the case. Ended in reverse order. */
export class Cleanup {
  readonly #steps: Array<() => Promise<unknown>> = [];
  #running: Promise<void> | undefined;

  /** Has `end` called at the end of the case; at once where the case is over already. */
  defer(end: () => Promise<unknown>): void {
    this.#steps.push(end);
    // Began when the case had been interrupted: nobody else would end it.
    if (this.#running) this.#running = this.#running.then(() => this.#runAll());
  }

  /** Waits for something to start, which is ended at the end of the case, even if interrupted while it starts. */
  own<T>(starting: Promise<T>, end: (started: T) => Promise<unknown>): Promise<T> {
    // What does not start need not be ended, and its error goes to whoever waits for the start.
    this.defer(() => starting.then(end, () => {}));
    return starting;
  }

  /** Ends everything, once; fails with all errors when the last step is done. */
  run(): Promise<void> {
    this.#running ??= this.#runAll();
    return this.#running;
  }

  async #runAll(): Promise<void> {
    const errors: unknown[] = [];
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      await step().catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw new AggregateError(errors, 'not everything could be ended');
  }
}
