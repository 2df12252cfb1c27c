import type { DomainError } from '../../contract/errors.js';
import type { Principal } from '../../contract/principal.js';
import type { Clock } from './ask.js';

/** A writer, or a request for a lease, that waits for a terminal. */
export interface Waiter {
  wants: 'lease' | 'type';
  who: () => Principal;
  /** Whether it takes the lease over; if so, it goes before all waiters that do not. */
  isTakeover: boolean;
  signal: AbortSignal | undefined;
  /** Milliseconds to wait. */
  patienceMs: number;
  /** Called in the turn of the event loop in which it may go; it must not throw. */
  go: () => void;
  /** Called with the reason why it never got to go. */
  reject: (reason: unknown) => void;
}

interface Place {
  waiter: Waiter;
  release: () => void;
}

/** Waiters for one terminal: takeovers first, then in order of arrival. */
export class Line {
  readonly #clock: Clock;
  readonly #places: Place[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#places.length;
  }

  get first(): Waiter | undefined {
    return this.#places[0]?.waiter;
  }

  get waiters(): Waiter[] {
    return this.#places.map(({ waiter }) => waiter);
  }

  /**
   * Adds a waiter, which leaves the line when its signal fires or its time is up. Rejects it if its signal has fired.
   *
   * @param late - returns the error for a waiter whose time is up
   * @param onLeft - called when a waiter has left without a turn, so that the next may go
   */
  add(waiter: Waiter, late: () => DomainError, onLeft: () => void): void {
    const leave = (reason: () => unknown) => {
      if (!this.take(waiter)) return;
      waiter.reject(reason());
      onLeft();
    };
    const { signal, patienceMs } = waiter;
    if (signal?.aborted) {
      waiter.reject(signal.reason);
      return;
    }
    const abort = () => leave(() => signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    const stop = this.#clock.after(patienceMs, () => leave(late));
    const release = () => {
      signal?.removeEventListener('abort', abort);
      stop();
    };
    const others = this.#places.findIndex((place) => !place.waiter.isTakeover);
    const at = waiter.isTakeover && others !== -1 ? others : this.#places.length;
    this.#places.splice(at, 0, { waiter, release });
  }

  /** Takes a waiter out of the line; returns false if it is no longer in it. */
  take(waiter: Waiter): boolean {
    const index = this.#places.findIndex((place) => place.waiter === waiter);
    const [place] = index === -1 ? [] : this.#places.splice(index, 1);
    place?.release();
    return place !== undefined;
  }

  /** Rejects all waiters. */
  rejectAll(reason: () => unknown): void {
    for (const { waiter, release } of this.#places.splice(0)) {
      release();
      waiter.reject(reason());
    }
  }
}
