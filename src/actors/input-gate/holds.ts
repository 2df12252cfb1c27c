import type { Principal } from '../../contract/principal.js';
import { type Ask, whoOf } from './ask.js';
import type { Lease, LeaseSlot } from './lease-slot.js';

/** The right to type several times, perhaps with pauses, while no lease is given to anybody else. */
export interface Hold {
  /** Throws lease-lost once the lease under which it was given has ended. Call it in the turn in which you send. */
  check(): void;
  /** Must be called when all is typed; further calls do nothing. */
  release(): void;
}

/** A hold, and the lease that it was given under. */
interface Held {
  who: () => Principal;
  lease: Lease | undefined;
}

/** Who is in the midst of typing into one terminal. */
export class Holds {
  readonly #held = new Set<Held>();
  readonly #slot: Pick<LeaseSlot, 'current' | 'isHeldBy' | 'lost'>;
  readonly #onReleased: () => void;

  constructor(slot: Pick<LeaseSlot, 'current' | 'isHeldBy' | 'lost'>, onReleased: () => void) {
    this.#slot = slot;
    this.#onReleased = onReleased;
  }

  /** Who has held the terminal for longest; undefined if nobody holds it. */
  get first(): Principal | undefined {
    const [held] = this.#held;
    return held?.who();
  }

  add(ask: Ask): Hold {
    const lease = this.#slot.isHeldBy(ask.lease) ? this.#slot.current : undefined;
    const held: Held = { who: () => whoOf(ask), lease };
    this.#held.add(held);
    return {
      check: () => {
        if (held.lease !== this.#slot.current) throw this.#slot.lost();
      },
      release: () => {
        if (this.#held.delete(held)) this.#onReleased();
      },
    };
  }
}
