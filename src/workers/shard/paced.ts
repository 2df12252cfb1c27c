/** Reports values at most once in `everyMs`: the first at once, then the latest of the values that came meanwhile. */
export class Paced<Value> {
  readonly #everyMs: number;
  readonly #report: (value: Value) => void;
  #next: { value: Value } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(everyMs: number, report: (value: Value) => void) {
    this.#everyMs = everyMs;
    this.#report = report;
  }

  offer(value: Value): void {
    this.#next = { value };
    if (!this.#timer) this.#due();
  }

  /** Reports the value that waits, as the last of all. */
  end(): void {
    const next = this.#next;
    this.close();
    if (next) this.#report(next.value);
  }

  /** Drops everything that waits. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#next = undefined;
  }

  #due(): void {
    this.#timer = undefined;
    const next = this.#next;
    if (!next) return;
    this.#next = undefined;
    this.#timer = setTimeout(() => this.#due(), this.#everyMs).unref();
    this.#report(next.value);
  }
}
