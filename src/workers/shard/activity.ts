import { ACTIVITY_EVERY_MS } from '../../contract/limits.js';

/**
 * Reports how much terminals print. The first output after a pause is reported at once, and later output together at
 * the end of each ACTIVITY_EVERY_MS: so each terminal is reported at most once in that time, and no byte is left out.
 */
export class Activity {
  readonly #report: (id: string, bytes: number) => void;
  /** Bytes that are not reported yet, by terminal. */
  readonly #printed = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(report: (id: string, bytes: number) => void) {
    this.#report = report;
  }

  printed(id: string, bytes: number): void {
    this.#printed.set(id, (this.#printed.get(id) ?? 0) + bytes);
    if (!this.#timer) this.#flush();
  }

  /** Drops the unreported bytes of a terminal that has ended. */
  forget(id: string): void {
    this.#printed.delete(id);
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#printed.size === 0) return;
    this.#timer = setTimeout(() => this.#flush(), ACTIVITY_EVERY_MS).unref();
    for (const [id, bytes] of this.#printed) this.#report(id, bytes);
    this.#printed.clear();
  }
}
