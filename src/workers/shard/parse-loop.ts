/** Something with parsing to do, a slice at a time. */
export interface Parser {
  /** Does one slice of the work; true while there is more. */
  step(): boolean;
}

/** Time one turn parses before it lets sockets and messages in: short beside a keystroke, long beside a turn's cost. */
const TURN_MS = 4;

/** So much output in one turn is a flood, ... */
const BUSY_TURN_BYTES = 32 * 1024;
/** ... and so much time after it there is still more to come: the pty host waits for credit. */
const BUSY_FOR_MS = 50;

/**
 * Shares a shard's time among its terminals, round robin and slice by slice, so that a flood in one delays the
 * others by a few milliseconds only.
 */
export class ParseLoop {
  #ready: Parser[] = [];
  readonly #queued = new Set<Parser>();
  #scheduled = false;
  #busyAt = Number.NEGATIVE_INFINITY;
  #turnBytes = 0;

  /** Output has been coming lately, more than somebody's typing makes: what can wait should. */
  get isBusy(): boolean {
    return performance.now() - this.#busyAt < BUSY_FOR_MS;
  }

  /** Told of output by the parsers that take it. */
  took(bytes: number): void {
    this.#turnBytes += bytes;
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
    const begin = performance.now();
    let now = begin;
    for (; now < begin + TURN_MS; now = performance.now()) {
      const parser = this.#ready.shift();
      if (!parser) break;
      if (parser.step() && this.#queued.has(parser)) this.#ready.push(parser);
      else this.#queued.delete(parser);
    }
    if (this.#turnBytes >= BUSY_TURN_BYTES) this.#busyAt = now;
    this.#turnBytes = 0;
    if (this.#ready.length > 0) this.#schedule();
  }
}
