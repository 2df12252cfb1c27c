import { isDoneOnce } from './done-once.js';
import type { Peer } from './rights.js';
import { sha256 } from './signed.js';
import type { CallRequest } from './wire.js';

/** Milliseconds for which an approval covers the same request with the same key: longer than any cut that is survived. */
const HELD_MS = 10 * 60_000;
const MAX_HELD = 1_000;

/**
 * Requests that a person has approved. If the answer is lost on its way back, the same request comes again with its key; it
 * may have been typed, so nobody is asked a second time.
 */
export class Approvals {
  /** When approvals end, by machine, key and content; the oldest come first. */
  readonly #until = new Map<string, number>();

  of(
    { publicKey }: Peer,
    { key, method, url, body = '' }: CallRequest,
  ): { isApproved: boolean; approve: () => void } {
    // Without a key, or on a route that ignores it, a repetition does the work again.
    if (key === undefined || !isDoneOnce({ method, url })) return { isApproved: false, approve: () => {} };
    const name = sha256(JSON.stringify([publicKey, key, method, url, body]));
    const now = performance.now();
    return {
      isApproved: (this.#until.get(name) ?? 0) > now,
      approve: () => this.#hold(name),
    };
  }

  #hold(name: string): void {
    this.#until.delete(name);
    const now = performance.now();
    for (const [old, until] of this.#until) {
      if (until > now && this.#until.size < MAX_HELD) break;
      this.#until.delete(old);
    }
    this.#until.set(name, now + HELD_MS);
  }
}
