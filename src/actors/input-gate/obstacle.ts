import { DomainError } from '../../contract/errors.js';
import { BUSY_RETRY_MS } from '../../contract/limits.js';
import type { Principal } from '../../contract/principal.js';
import type { Clock } from './ask.js';
import type { Lease } from './lease-slot.js';

/** Obstacle to a write, or to a request for a lease. */
export type Obstacle =
  | { by: 'lease'; lease: Lease }
  /** A run's line is being typed, or an agent is looked at just before it is typed to. */
  | { by: 'hold'; who: Principal }
  /** A person types, or has a half-typed line: the terminal is free in `freeInMs` milliseconds if nothing more is typed. */
  | { by: 'person'; freeInMs: number }
  /** Another waiter is ahead in the line. */
  | { by: 'line'; who: Principal }
  /** Input was sent that the PTY has not taken yet. */
  | { by: 'in flight' };

/** The terminal is busy; `by` names the obstacle. */
export class Locked extends DomainError {
  readonly by: Obstacle['by'] | 'unknown';

  constructor(by: Obstacle['by'] | 'unknown', details: Record<string, unknown>) {
    super('locked', undefined, { details });
    this.by = by;
  }
}

/** Returns the error for a client. Without `obstacle` the obstacle is no longer known. */
export function refusal(obstacle: Obstacle | undefined, draft: boolean, clock: Clock): Locked {
  return new Locked(obstacle?.by ?? 'unknown', { ...blameOf(obstacle, clock), draft });
}

function blameOf(
  obstacle: Obstacle | undefined,
  clock: Clock,
): { holder: Principal | null; retryAfterMs: number } {
  switch (obstacle?.by) {
    case 'lease':
      return { holder: obstacle.lease.who, retryAfterMs: whole(obstacle.lease.endsAt - clock.now()) };
    case 'person':
      return { holder: { kind: 'user', verified: false }, retryAfterMs: whole(obstacle.freeInMs) };
    case 'hold':
    case 'line':
      return { holder: obstacle.who, retryAfterMs: BUSY_RETRY_MS };
    default:
      return { holder: null, retryAfterMs: BUSY_RETRY_MS };
  }
}

function whole(ms: number): number {
  return Math.max(1, Math.ceil(ms));
}
