import type { CallOptions, Requests } from './requests.js';
import { segment } from './segment.js';
import { TiedLease } from './tied-lease.js';
import type { LeaseInfo, LeaseOptions, LeaseState } from './types.js';

/** The leases of one terminal, by their ids: for a program that has an id from elsewhere. */
export class Leases {
  readonly #requests: Requests;
  readonly #terminalId: string;

  constructor(requests: Requests, terminalId: string) {
    this.#requests = requests;
    this.#terminalId = terminalId;
  }

  /** Takes the lease. Rejects with ConflictError `locked` if another program has it, and `waitMs` is over. */
  async take({ signal, key, ...body }: LeaseOptions & CallOptions = {}): Promise<Lease> {
    const taken = await this.#requests.post<LeaseInfo>(this.#path, { body, isKeyed: true, signal, key });
    return new Lease(this, taken);
  }

  /** Takes the lease as {@link take} does, tied to a connection of its own, with which it ends. */
  hold(options: LeaseOptions & Pick<CallOptions, 'signal'> = {}): Promise<TiedLease> {
    return TiedLease.take(this.#requests, this.#terminalId, options);
  }

  /** Makes a lease last for `ttlMs` from now on. Rejects with ConflictError `lease-lost` if it has ended. */
  renew(leaseId: string, ttlMs?: number, call: CallOptions = {}): Promise<LeaseInfo> {
    return this.#requests.json('PUT', this.#path, { ...call, body: { leaseId, ttlMs } });
  }

  /** Ends a lease. Rejects with ConflictError `lease-lost` if it has ended before. */
  async end(leaseId: string, call: CallOptions = {}): Promise<void> {
    await this.#requests.json('DELETE', this.#path, { ...call, query: { leaseId } });
  }

  /** Resolves with the holder of the lease and the waiting writers. */
  state(call: CallOptions = {}): Promise<LeaseState> {
    return this.#requests.get(this.#path, call);
  }

  get #path(): string {
    return `/api/terminals/${segment(this.#terminalId)}/lease`;
  }
}

/**
 * The lease of a terminal: no other program types there until it ends. Give it to calls that type, as
 * `{ lease: lease.leaseId }`, and end it in a `finally`.
 */
export class Lease {
  readonly leaseId: string;
  /** Number of the lease among the leases of its terminal; it grows. */
  readonly fence: number;
  readonly #leases: Leases;
  #expiresAt: number;

  constructor(leases: Leases, { leaseId, fence, expiresAt }: LeaseInfo) {
    this.#leases = leases;
    this.leaseId = leaseId;
    this.fence = fence;
    this.#expiresAt = expiresAt;
  }

  /** Time at which it ends unless it is renewed, in epoch milliseconds. */
  get expiresAt(): number {
    return this.#expiresAt;
  }

  /** See {@link Leases.renew}. */
  async renew(ttlMs?: number, call: CallOptions = {}): Promise<void> {
    this.#expiresAt = (await this.#leases.renew(this.leaseId, ttlMs, call)).expiresAt;
  }

  /** See {@link Leases.end}. */
  end(call: CallOptions = {}): Promise<void> {
    return this.#leases.end(this.leaseId, call);
  }
}
