import { MAX_TYPED_ONCE, MAX_TYPED_ONCE_IN_ALL, TYPED_ONCE_MS } from '../../contract/limits.js';

/** An operation whose text was typed into a terminal. */
export interface TypedId {
  handle: number;
  once: string;
  /** Milliseconds on the clock of the {@link TypedOnce}. */
  at: number;
}

/**
 * Remembers, by terminal, the ids of operations whose text was typed. A repetition is detected for TYPED_ONCE_MS,
 * unless more ids have come since than one terminal, or all together, may have.
 */
export class TypedOnce {
  readonly #now: () => number;
  /** Ids of each terminal, in the order in which their text was typed. */
  readonly #byTerminal = new Map<number, Set<string>>();
  /** Ids of all terminals in that order, with the time of typing. */
  readonly #all = new Map<string, TypedId>();

  /** @param now - milliseconds on a clock that is never set */
  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#all.size;
  }

  has(handle: number, once: string): boolean {
    this.#dropOld();
    return this.#byTerminal.get(handle)?.has(once) ?? false;
  }

  add(handle: number, once: string, at = this.#now()): void {
    this.#drop(handle, once);
    const own = this.#byTerminal.get(handle) ?? new Set();
    this.#byTerminal.set(handle, own.add(once));
    this.#all.set(keyOf(handle, once), { handle, once, at });
    const [oldestOwn] = own;
    if (own.size > MAX_TYPED_ONCE && oldestOwn !== undefined) this.#drop(handle, oldestOwn);
    const [oldest] = this.#all.values();
    if (this.#all.size > MAX_TYPED_ONCE_IN_ALL && oldest) this.#drop(oldest.handle, oldest.once);
  }

  /** Returns all ids in the order in which their text was typed, with the time of typing. */
  keep(): TypedId[] {
    return [...this.#all.values()];
  }

  /** Restores the ids that {@link keep} returned before the host was renewed. */
  adopt(ids: readonly TypedId[]): void {
    for (const { handle, once, at } of ids) this.add(handle, once, at);
  }

  /** Forgets the ids of a terminal that is gone. */
  forget(handle: number): void {
    for (const once of this.#byTerminal.get(handle) ?? []) this.#all.delete(keyOf(handle, once));
    this.#byTerminal.delete(handle);
  }

  #dropOld(): void {
    const before = this.#now() - TYPED_ONCE_MS;
    for (const { handle, once, at } of this.#all.values()) {
      if (at >= before) return;
      this.#drop(handle, once);
    }
  }

  #drop(handle: number, once: string): void {
    const own = this.#byTerminal.get(handle);
    if (!own?.delete(once)) return;
    this.#all.delete(keyOf(handle, once));
    if (own.size === 0) this.#byTerminal.delete(handle);
  }
}

function keyOf(handle: number, once: string): string {
  return `${handle} ${once}`;
}
