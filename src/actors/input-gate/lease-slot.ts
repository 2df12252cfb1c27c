import { randomBytes } from 'node:crypto';
import { DomainError } from '../../contract/errors.js';
import type { Lease as GrantedLease, LeaseChange, LeaseEnd } from '../../contract/input-gate.js';
import type { Principal } from '../../contract/principal.js';
import type { Clock } from './ask.js';

export interface Lease extends GrantedLease {
  who: Principal;
  reason: string | undefined;
  /** When it ends, on the gate's clock. */
  endsAt: number;
  stopTimer: () => void;
}

export interface LeaseSlotOptions {
  clock: Clock;
  onChange: (change: LeaseChange) => void;
  /** Called when a lease has ended and the next waiters may go at once. */
  onFree: () => void;
  /** Called when a lease has ended. */
  onEnded: () => void;
}

/** The lease of one terminal, and its number among all leases that the terminal has had. */
export class LeaseSlot {
  readonly #options: LeaseSlotOptions;
  #fence = 0;
  #lease: Lease | undefined;

  constructor(options: LeaseSlotOptions) {
    this.#options = options;
  }

  get current(): Lease | undefined {
    return this.#lease;
  }

  isHeldBy(leaseId: string | undefined): boolean {
    return leaseId !== undefined && leaseId === this.#lease?.leaseId;
  }

  /** Grants the lease, and ends the present lease, if there is one. */
  grant(asked: Pick<Lease, 'leaseId' | 'reason' | 'who'> & { ttlMs: number }): GrantedLease {
    const { leaseId, ttlMs, reason, who } = asked;
    if (this.#lease) this.end('takeover');
    const lease: Lease = { leaseId, fence: ++this.#fence, reason, who, ...this.#timeOf(ttlMs) };
    this.#lease = lease;
    const { fence, expiresAt } = lease;
    this.#options.onChange({ state: 'taken', holder: who, fence, expiresAt, ...(reason && { reason }) });
    return publicOf(lease);
  }

  /** Throws lease-lost. */
  renew(leaseId: string, ttlMs: number): GrantedLease {
    const lease = this.#heldAs(leaseId);
    lease.stopTimer();
    Object.assign(lease, this.#timeOf(ttlMs));
    return publicOf(lease);
  }

  /** Throws lease-lost. */
  release(leaseId: string): void {
    this.#heldAs(leaseId);
    this.end('released');
  }

  /** Ends a lease that was tied to a connection, if it has not ended before. */
  disconnected(leaseId: string): void {
    if (this.isHeldBy(leaseId)) this.end('disconnected');
  }

  /** Ends the lease, if there is one. */
  end(why: LeaseEnd): void {
    const lease = this.#lease;
    if (!lease) return;
    lease.stopTimer();
    this.#lease = undefined;
    this.#options.onChange({ state: 'ended', holder: lease.who, fence: lease.fence, why });
    this.#options.onEnded();
    // After a takeover, the next lease is granted in the same turn; after a person's keys, the keys are sent first.
    if (why !== 'takeover' && why !== 'person') this.#options.onFree();
  }

  /** Returns the error for a write under a lease that has ended. */
  lost(): DomainError {
    return new DomainError('lease-lost', undefined, this.#holder);
  }

  /** Details of a refusal: who has the lease now. */
  get #holder(): { details: { holder: Principal | null } } {
    return { details: { holder: this.#lease?.who ?? null } };
  }

  #heldAs(leaseId: string): Lease {
    if (this.#lease?.leaseId !== leaseId)
      throw new DomainError('lease-lost', 'There is no such lease, or it has ended', this.#holder);
    return this.#lease;
  }

  #timeOf(ttlMs: number): Pick<Lease, 'expiresAt' | 'endsAt' | 'stopTimer'> {
    const { clock } = this.#options;
    const stopTimer = clock.after(ttlMs, () => this.end('expired'));
    return { expiresAt: Date.now() + ttlMs, endsAt: clock.now() + ttlMs, stopTimer };
  }
}

const LEASE_ID_BYTES = 16;

/** Returns an id for a new lease, which cannot be guessed. */
export function newLeaseId(): string {
  return `lease_${randomBytes(LEASE_ID_BYTES).toString('hex')}`;
}

/** Returns the part of a lease that its holder gets. */
export function publicOf({ leaseId, fence, expiresAt }: Lease): GrantedLease {
  return { leaseId, fence, expiresAt };
}
