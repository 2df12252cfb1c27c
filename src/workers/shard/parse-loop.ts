/** Something that parses slice by slice. */
export interface Parser {
  /** Parses one slice; returns true while there is more. */
  step(): boolean;
}

/** Time of a turn before sockets and messages are served: short beside a keystroke, long beside a turn's overhead. */
const TURN_MS = 4;

/** This much output within the time of a turn is part of a flood. */
const BUSY_BYTES = 32 * 1024;
/** The flood counts as continuing for this time after that: the pty host may be waiting for credit. */
const BUSY_FOR_MS = 50;

/**
 * Shares a shard's time among its terminals, round robin and slice by slice, so that a flood in one terminal delays the
 * others only by a few milliseconds.
 */
export class ParseLoop {
  #ready: Parser[] = [];
  readonly #queued = new Set<Parser>();
  #scheduled = false;
  #busyAt = Number.NEGATIVE_INFINITY;
  /** Output taken since `#countedFrom`. */
  #bytes = 0;
  #countedFrom = Number.NEGATIVE_INFINITY;

  /** Whether output is flooding, more than typing causes. Work that can wait should then wait. */
  get isBusy(): boolean {
    return performance.now() - this.#busyAt < BUSY_FOR_MS;
  }

  /** Counts output. Parsers call this when they take output. */
  took(bytes: number): void {
    const now = performance.now();
    if (now >= this.#countedFrom + TURN_MS) {
      this.#countedFrom = now;
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    if (this.#bytes >= BUSY_BYTES) this.#busyAt = now;
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
    for (const end = performance.now() + TURN_MS; performance.now() < end; ) {
      const parser = this.#ready.shift();
      if (!parser) break;
      if (parser.step() && this.#queued.has(parser)) this.#ready.push(parser);
      else this.#queued.delete(parser);
    }
    if (this.#ready.length > 0) this.#schedule();
  }
}
