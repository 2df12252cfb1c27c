import type { Clock, GateSettings } from './ask.js';
import { PersonTyping } from './person-typing.js';

/** Whether a person is at the keys of one terminal, as far as this service process has seen. */
export class Presence {
  readonly #clock: Clock;
  readonly #typing = new PersonTyping();
  /** Time of the last key, on the gate's clock. */
  #typedAt = Number.NEGATIVE_INFINITY;
  #at: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** When a person typed last, in epoch milliseconds. */
  get at(): number | null {
    return this.#at;
  }

  get hasDraft(): boolean {
    return this.#typing.hasDraft;
  }

  /** Takes input that a person's client has sent. Returns whether it contains a key. */
  typed(data: string): boolean {
    if (!this.#typing.feed(data)) return false;
    this.#typedAt = this.#clock.now();
    this.#at = Date.now();
    return true;
  }

  /** Notes that the half-typed line is gone, submitted or dropped by another writer. */
  lineEnded(): void {
    this.#typing.clear();
  }

  /** Returns the milliseconds for which the person still holds other writers back, if nothing more is typed. */
  freeInMs({ humanQuietMs, draftHoldMs }: GateSettings): number {
    const holdMs = this.hasDraft ? Math.max(humanQuietMs, draftHoldMs) : humanQuietMs;
    return Math.max(0, this.#typedAt + holdMs - this.#clock.now());
  }
}
