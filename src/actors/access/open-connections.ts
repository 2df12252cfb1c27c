import { MAX_TIMER_MS } from '../../contract/limits.js';

interface Open {
  endsAt: () => number | null | undefined;
  end: () => void;
  timer: NodeJS.Timeout | undefined;
}

/** Requests and streams in progress, by token. They end with their token. */
export class OpenConnections {
  readonly #open = new Map<string, Set<Open>>();

  /**
   * Calls `end` when the token `id` is deleted, or when the text that the client has shown expires, until the returned
   * function is called.
   *
   * @param endsAt - returns when the text expires, in epoch milliseconds; null if it has no expiry, undefined if it has
   *   ended. Called again at that time, since the clock may have been set
   */
  add(id: string, endsAt: () => number | null | undefined, end: () => void): () => void {
    const open: Open = { endsAt, end, timer: undefined };
    const ofToken = this.#open.get(id) ?? new Set();
    this.#open.set(id, ofToken.add(open));
    this.#watch(id, open);
    return () => this.#forget(id, open);
  }

  /** Ends every request and stream of a token. */
  end(id: string): void {
    for (const open of [...(this.#open.get(id) ?? [])]) this.#end(id, open);
  }

  /** Checks again when each request and stream of a token ends. */
  recheck(id: string): void {
    for (const open of [...(this.#open.get(id) ?? [])]) this.#watch(id, open);
  }

  #watch(id: string, open: Open): void {
    clearTimeout(open.timer);
    const at = open.endsAt();
    if (at === undefined) this.#end(id, open);
    if (at === undefined || at === null) return;
    const delay = Math.min(Math.max(at - Date.now(), 1), MAX_TIMER_MS);
    open.timer = setTimeout(() => this.#watch(id, open), delay).unref();
  }

  #end(id: string, open: Open): void {
    this.#forget(id, open);
    open.end();
  }

  #forget(id: string, open: Open): void {
    clearTimeout(open.timer);
    const ofToken = this.#open.get(id);
    ofToken?.delete(open);
    if (ofToken?.size === 0) this.#open.delete(id);
  }
}
