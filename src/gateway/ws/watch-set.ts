/**
 * The terminals that one client watches, and which of them are live. The client replaces the set at run time; each
 * replacement has a number, counted from 0 for the set at the upgrade. Output of a newly watched terminal may lack
 * frames until every shard knows of the replacement: only then is the terminal live for the client.
 */
export class WatchSet {
  /** Number of the replacement that began to watch every terminal; undefined while single terminals are watched. */
  #all: number | undefined;
  /** For each terminal that was named: the number of the replacement since which it is watched without a break. */
  #since: Map<string, number>;
  #replacements = 0;
  /** The last replacement that every shard knows. */
  #known = 0;

  /** @param terminals - ids, or undefined for every terminal */
  constructor(terminals: Iterable<string> | undefined) {
    this.#all = terminals ? undefined : 0;
    this.#since = new Map([...(terminals ?? [])].map((id) => [id, 0]));
  }

  /** Whether every terminal is watched. */
  get isEverything(): boolean {
    return this.#all !== undefined;
  }

  /** The watched terminals, unless every terminal is watched. */
  get ids(): Iterable<string> {
    return this.isEverything ? [] : this.#since.keys();
  }

  has(id: string): boolean {
    return this.isEverything || this.#since.has(id);
  }

  isLive(id: string): boolean {
    return this.#known === this.#replacements || this.#sinceOf(id) <= this.#known;
  }

  /** Replaces the set by these ids, or by every terminal. Returns the number of the replacement. */
  replace(terminals: Iterable<string> | undefined): number {
    const number = ++this.#replacements;
    if (!terminals) {
      this.#all ??= number;
      return number;
    }
    const watched = [...terminals].map((id): [string, number] => [id, Math.min(this.#sinceOf(id), number)]);
    this.#all = undefined;
    this.#since = new Map(watched);
    return number;
  }

  /** Drops a terminal that was named. */
  drop(id: string): void {
    this.#since.delete(id);
  }

  /** Notes that every shard knows of a replacement. Returns whether a terminal is live only since this call. */
  known(number: number): (id: string) => boolean {
    const before = this.#known;
    this.#known = Math.max(before, number);
    return (id) => this.#sinceOf(id) > before && this.#sinceOf(id) <= this.#known;
  }

  #sinceOf(id: string): number {
    return this.#since.get(id) ?? this.#all ?? Number.POSITIVE_INFINITY;
  }
}
