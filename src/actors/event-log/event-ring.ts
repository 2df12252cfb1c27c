import type { LoggedEvent } from './logged-event.js';
import { PACKED_TOGETHER, PackedEvents } from './packed-events.js';

export interface RingBounds {
  maxEvents: number;
  maxBytes: number;
}

/** The latest events by their numbers, bounded in count and in bytes: the oldest go first. All but the newest are packed. */
export class EventRing {
  readonly #bounds: RingBounds;
  readonly #packed = new PackedEvents();
  /** The newest events, which clients that follow read. */
  #fresh: LoggedEvent[] = [];
  #first: number;
  #last: number;
  #bytes = 0;

  /** @param last - number of the event before the first one that is added */
  constructor(bounds: RingBounds, last = 0) {
    this.#bounds = bounds;
    this.#last = last;
    this.#first = last + 1;
  }

  /** Number of the event that was added last. */
  get last(): number {
    return this.#last;
  }

  /** Number of the oldest event that is kept; `last + 1` if none is. */
  get first(): number {
    return this.#first;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds an event under the next number, and returns the numbers of the events that are dropped for it. */
  add(event: LoggedEvent): number[] {
    this.#last++;
    this.#fresh.push(event);
    this.#bytes += event.bytes;
    const dropped: number[] = [];
    const { maxEvents, maxBytes } = this.#bounds;
    while (this.#last - this.#first >= maxEvents || this.#bytes > maxBytes) dropped.push(this.#dropOldest());
    if (this.#fresh.length >= 2 * PACKED_TOGETHER)
      this.#packed.add(this.#firstFresh, this.#fresh.splice(0, PACKED_TOGETHER));
    return dropped;
  }

  at(n: number): LoggedEvent | undefined {
    if (n < this.#first || n > this.#last) return undefined;
    const fresh = n - this.#firstFresh;
    return fresh < 0 ? this.#packed.at(n) : this.#fresh[fresh];
  }

  /** Yields the kept events with their numbers, oldest first. */
  *kept(): Generator<[n: number, event: LoggedEvent]> {
    for (let n = this.#first; n <= this.#last; n++) yield [n, this.at(n)!];
  }

  /** Returns the kept events after number `n`, oldest first. */
  after(n: number): LoggedEvent[] {
    const events: LoggedEvent[] = [];
    for (let next = Math.max(n + 1, this.#first); next <= this.#last; next++) events.push(this.at(next)!);
    return events;
  }

  get #firstFresh(): number {
    return this.#last - this.#fresh.length + 1;
  }

  /** Returns the number of the event that was the oldest. */
  #dropOldest(): number {
    const oldest = this.#first++;
    if (oldest < this.#firstFresh) {
      this.#bytes -= this.#packed.bytesOf(oldest);
      this.#packed.dropBefore(this.#first);
    } else this.#bytes -= this.#fresh.shift()!.bytes;
    return oldest;
  }
}
