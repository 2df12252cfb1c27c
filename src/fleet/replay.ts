import { FLEET_CLOCK_MS, MAX_FLEET_NONCES, MAX_FLEET_NONCES_UNGRANTED } from '../contract/limits.js';

/** Why a request is not taken. */
export type Stale = 'clock' | 'repeated' | 'full';

/**
 * Remembers the ids of requests for as long as their times are accepted, so that none is taken twice. A restart empties
 * the memory, and begins an epoch that earlier requests do not name.
 */
export class Replays {
  readonly #until = new Map<string, { tick: number; at: number }>();
  /** Latest time of a forgotten request: if the clock is set back, a copy of that request may come again. */
  #forgottenAt = Number.NEGATIVE_INFINITY;
  /** Most requests that are remembered at once. */
  max = MAX_FLEET_NONCES;

  /** Whether a request with this id was noted. */
  has(id: string): boolean {
    return this.#until.has(id);
  }

  /**
   * Notes a request; returns why it must not be taken.
   *
   * @param at - when it was sent, by the sender's clock, in epoch milliseconds
   * @param now - epoch milliseconds
   * @param tick - a monotonic clock in milliseconds, by which requests are forgotten
   */
  note(id: string, at: number, now: number, tick: number): Stale | undefined {
    if (Math.abs(at - now) > FLEET_CLOCK_MS) return 'clock';
    // The oldest come first, since each is kept for the same time.
    for (const [old, until] of this.#until) {
      if (until.tick > tick) break;
      this.#until.delete(old);
      this.#forgottenAt = Math.max(this.#forgottenAt, until.at);
    }
    if (this.#until.has(id)) return 'repeated';
    if (at <= this.#forgottenAt) return 'clock';
    if (this.#until.size >= this.max) return 'full';
    this.#until.set(id, { tick: tick + 2 * FLEET_CLOCK_MS, at });
    return undefined;
  }
}

/**
 * Remembers the requests of each machine separately, so that a machine that floods does not block the requests of others.
 * Of a machine without a grant, little is remembered, since none of its requests is taken.
 */
export class RequestMemory {
  readonly #of = new Map<string, Replays>();

  /** Whether a request of a machine was noted. */
  has(machineId: string, id: string): boolean {
    return this.#of.get(machineId)?.has(id) === true;
  }

  /** @param isGranted - whether the machine has any grant now */
  of(machineId: string, isGranted: boolean): Replays {
    const replays = this.#of.get(machineId) ?? new Replays();
    this.#of.set(machineId, replays);
    replays.max = isGranted ? MAX_FLEET_NONCES : MAX_FLEET_NONCES_UNGRANTED;
    return replays;
  }
}
