/** Something with parsing to do, a slice at a time. */
export interface Parser {
  /** Does one slice of the work; true while there is more. */
  step(): boolean;
}

/** Time one turn parses before it lets sockets and messages in: short beside a keystroke, long beside a turn's cost. */
const TURN_MS = 4;

/**
 * Shares a shard's time among its terminals, round robin and slice by slice, so that a flood in one delays the
 * others by a few milliseconds only.
 */
export class ParseLoop {
  #ready: Parser[] = [];
  readonly #queued = new Set<Parser>();
  #scheduled = false;

  /** There is something to parse. */
  get isBusy(): boolean {
    return this.#ready.length > 0;
  }

  add(parser: Parser): void {
    if (this.#queued.has(parser)) return;
    this.#queued.add(parser);
    this.#ready.push(parser);
    this.#schedule();
  }

  remove(parser: Parser): void {
    if (this.#queued.delete(parser)) this.#ready = this.#ready.filter((other) => other !== parser);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#scheduled = false;
    const end = performance.now() + TURN_MS;
    do {
      const parser = this.#ready.shift();
      if (!parser) return;
      if (parser.step() && this.#queued.has(parser)) this.#ready.push(parser);
      else this.#queued.delete(parser);
    } while (performance.now() < end);
    if (this.#ready.length > 0) this.#schedule();
  }
}
