import { TokenBucket } from '../workers/token-bucket.js';

/** The audit log is bounded: without a limit, the refused requests of one machine would push all other lines out of it. */
const RATE = { perSecond: 0.5, burst: 60 };

/** Bounds the lines of the audit log about refused requests, by machine. */
export class RefusalLines {
  readonly #buckets = new Map<string, TokenBucket>();

  /** Returns whether to write a line about a refused request of a machine. The machine must be in the fleet. */
  admit(machineId: string): boolean {
    const bucket = this.#buckets.get(machineId) ?? new TokenBucket(RATE);
    this.#buckets.set(machineId, bucket);
    if (!bucket.has(1)) return false;
    bucket.take(1);
    return true;
  }
}
