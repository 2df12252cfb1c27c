import type { Claimant } from '../../actors/input-gate/ask.js';
import type { InputGate } from '../../actors/input-gate/input-gate.js';
import { newLeaseId } from '../../actors/input-gate/lease-slot.js';
import type { Lease, LeaseBody } from '../../contract/input-gate.js';

/** The leases of terminals. All but `disconnected` throw terminal-not-found. */
export type LeasesPort = Pick<InputGate, 'lease' | 'renew' | 'release' | 'disconnected'>;

/** The leases that the client of one WebSocket has asked for. */
export class ClientLeases {
  readonly #leases: LeasesPort;
  readonly #claimant: Claimant;
  /** Ids of the terminals, by the leases that end with the connection. */
  readonly #tied = new Map<string, string>();

  /** @param claimant - the client; its signal fires when the connection is gone */
  constructor(leases: LeasesPort, claimant: Claimant) {
    this.#leases = leases;
    this.#claimant = claimant;
    claimant.signal.addEventListener('abort', () => this.#disconnect(), { once: true });
  }

  /** Rejects with locked, terminal-not-found, and the reason of the client's signal. */
  async take(id: string, asked: LeaseBody, isTied: boolean): Promise<Lease> {
    const lease = await this.#leases.lease(id, { ...asked, leaseId: newLeaseId() }, this.#claimant);
    if (isTied) this.#tied.set(lease.leaseId, id);
    // The connection may have ended in the turn in which the lease was granted.
    if (this.#claimant.signal.aborted) this.#disconnect();
    return lease;
  }

  /** Throws lease-lost, terminal-not-found. */
  renew(id: string, leaseId: string, ttlMs: number): Lease {
    return this.#leases.renew(id, leaseId, ttlMs);
  }

  /** Throws lease-lost, terminal-not-found. */
  end(id: string, leaseId: string): void {
    // Of a lease of another terminal nothing is ended.
    if (this.#tied.get(leaseId) === id) this.#tied.delete(leaseId);
    this.#leases.release(id, leaseId);
  }

  #disconnect(): void {
    for (const [leaseId, id] of this.#tied) this.#leases.disconnected(id, leaseId);
    this.#tied.clear();
  }
}
