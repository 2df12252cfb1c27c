import { TokenBucket } from '../workers/token-bucket.js';

/** Refused requests of one machine that are told of in the audit log: the log is bounded, and more would push out the rest. */
const RATE = { perSecond: 0.5, burst: 60 };

/** Bounds the lines of the audit log about refused requests, by machine. */
export class RefusalLines {
  readonly #buckets = new Map<string, TokenBucket>();

  /** Returns whether another one of this machine, which is one of the fleet, gets a line. */
  admit(machineId: string): boolean {
    const bucket = this.#buckets.get(machineId) ?? new TokenBucket(RATE);
    this.#buckets.set(machineId, bucket);
    if (!bucket.has(1)) return false;
    bucket.take(1);
    return true;
  }
}
