/** Starts of terminals that are under way: their programs may run already, though no terminal is listed yet. */
export class Starting {
  readonly #starts = new Set<Promise<unknown>>();

  /** Returns the same promise, and counts it as under way until it settles. */
  during<Result>(start: Promise<Result>): Promise<Result> {
    this.#starts.add(start);
    const end = () => void this.#starts.delete(start);
    start.then(end, end);
    return start;
  }

  /** Resolves once every start that is under way now has listed its terminal or has failed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#starts);
  }
}
