import { DomainError } from '../../contract/errors.js';
import type { LeaseChange, LeaseEnd } from '../../contract/input-gate.js';
import { Locked, type Obstacle } from './obstacle.js';

/** Reason for a refusal of the gate: the obstacle, or the code of the error. */
type Reason = Obstacle['by'] | 'unknown' | 'lease-lost' | 'agent-waiting' | 'agent-busy' | 'no-agent';

const CODES: ReadonlySet<string> = new Set(['lease-lost', 'agent-waiting', 'agent-busy', 'no-agent']);

/** Refusals of the gate and changes of leases since the service started, counted. */
export class GateFigures {
  readonly refused = new Map<Reason, number>();
  readonly leasesEnded = new Map<LeaseEnd, number>();
  leasesTaken = 0;

  /** Counts an error if it is a refusal of the gate. */
  note(error: unknown): void {
    if (error instanceof Locked) add(this.refused, error.by);
    else if (error instanceof DomainError && CODES.has(error.code)) add(this.refused, error.code as Reason);
  }

  leaseChanged(change: LeaseChange): void {
    if (change.state === 'taken') this.leasesTaken++;
    else add(this.leasesEnded, change.why);
  }
}

function add<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
