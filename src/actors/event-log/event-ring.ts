export interface RingBounds {
  maxEvents: number;
  maxBytes: number;
}

/** The latest events by their numbers, bounded in count and in bytes: the oldest go first. */
export class EventRing<Event extends { bytes: number }> {
  readonly #bounds: RingBounds;
  readonly #events = new Map<number, Event>();
  #last: number;
  #bytes = 0;

  /** @param last - number of the event before the first one that is added */
  constructor(bounds: RingBounds, last = 0) {
    this.#bounds = bounds;
    this.#last = last;
  }

  /** Number of the event that was added last. */
  get last(): number {
    return this.#last;
  }

  /** Number of the oldest event that is kept; `last + 1` if none is. */
  get first(): number {
    return this.#last - this.#events.size + 1;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds an event under the next number, and returns the numbers of the events that are dropped for it. */
  add(event: Event): number[] {
    this.#events.set(++this.#last, event);
    this.#bytes += event.bytes;
    const dropped: number[] = [];
    const { maxEvents, maxBytes } = this.#bounds;
    while (this.#events.size > maxEvents || this.#bytes > maxBytes) {
      const oldest = this.first;
      this.#bytes -= this.#events.get(oldest)?.bytes ?? 0;
      this.#events.delete(oldest);
      dropped.push(oldest);
    }
    return dropped;
  }

  at(n: number): Event | undefined {
    return this.#events.get(n);
  }

  /** The kept events by their numbers, oldest first. */
  kept(): ReadonlyMap<number, Event> {
    return this.#events;
  }

  /** Returns the kept events after number `n`, oldest first. */
  after(n: number): Event[] {
    const events: Event[] = [];
    for (let next = Math.max(n + 1, this.first); next <= this.#last; next++) {
      const event = this.#events.get(next);
      if (event) events.push(event);
    }
    return events;
  }
}
