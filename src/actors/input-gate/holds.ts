import type { DomainError } from '../../contract/errors.js';
import type { Principal } from '../../contract/principal.js';
import { type Ask, whoOf } from './ask.js';
import type { Hold } from './hold.js';
import type { Lease, LeaseSlot } from './lease-slot.js';

/** A hold, and the lease under which it was granted. */
interface Held {
  who: () => Principal;
  lease: Lease | undefined;
}

/** The holds on one terminal. */
export class Holds {
  readonly #held = new Set<Held>();
  readonly #byHold = new WeakMap<Hold, Held>();
  readonly #slot: Pick<LeaseSlot, 'current' | 'isHeldBy' | 'lost'>;
  readonly #onReleased: () => void;

  constructor(slot: Pick<LeaseSlot, 'current' | 'isHeldBy' | 'lost'>, onReleased: () => void) {
    this.#slot = slot;
    this.#onReleased = onReleased;
  }

  /** The writer that has held the terminal for longest; undefined if there is no hold. */
  get first(): Principal | undefined {
    const [held] = this.#held;
    return held?.who();
  }

  /**
   * @param refusal - returns why the writer may not type any more
   * @param passesLease - whether the present lease of another does not keep the writer from typing, and may end by it
   */
  add(ask: Ask, refusal: () => DomainError | undefined, passesLease = false): Hold {
    const { current } = this.#slot;
    const lease = this.#slot.isHeldBy(ask.lease) ? current : undefined;
    const passed = passesLease ? current : lease;
    const held: Held = { who: () => whoOf(ask), lease };
    this.#held.add(held);
    const hold: Hold = {
      check: () => {
        const now = this.#slot.current;
        if (now !== held.lease && now !== passed) throw this.#slot.lost();
        const refused = refusal();
        if (refused) throw refused;
      },
      release: () => {
        if (this.#held.delete(held)) this.#onReleased();
      },
    };
    this.#byHold.set(hold, held);
    return hold;
  }

  /** Returns whether this hold has not been released. */
  has(hold: Hold): boolean {
    const held = this.#byHold.get(hold);
    return held !== undefined && this.#held.has(held);
  }
}
