import type { GateWish, WhenBusy } from '../../contract/input-gate.js';
import type { Principal } from '../../contract/principal.js';
import type { AgentStatus } from '../../contract/wait.js';
import type { Hold } from './hold.js';

/** Who asks for a lease. */
export interface Claimant {
  who: () => Principal;
  signal: AbortSignal;
}

/** How a write wants to pass the gate. Everything may be absent: such a write goes by the setting. */
export interface Ask {
  /** Returns who types; called only if somebody must be told. */
  who?: (() => Principal) | undefined;
  /** Returns whether the writer may still type; asked when its turn has come. */
  mayType?: (() => boolean) | undefined;
  /** Idempotency-Key of the request. */
  request?: string | undefined;
  whenBusy?: WhenBusy | undefined;
  /** Milliseconds to wait in line. */
  queueMs?: number | undefined;
  /** Statuses of the coding agent of which it must have one. */
  ifAgent?: readonly AgentStatus[] | undefined;
  /** Id of the lease under which it is typed. */
  lease?: string | undefined;
  /** The hold under which it is typed: neither that nor those who wait for its end are in the way. */
  hold?: Hold | undefined;
  /** A lease that has ended counts as none, where the write matters beyond it. */
  isLeaseOptional?: boolean;
  /** Takes it out of the line; it rejects with the signal's reason then. */
  signal?: AbortSignal | undefined;
  /** Resolves with whether it was typed by an earlier attempt, which is answered in any case. */
  wasTyped?: (() => Promise<boolean>) | undefined;
}

/** The settings of the gate. */
export interface GateSettings {
  protectHumans: 'off' | 'refuse' | 'queue';
  humanQuietMs: number;
  draftHoldMs: number;
}

/** Time, as the gate reads it: tests have a clock of their own. */
export interface Clock {
  /** Milliseconds of a clock that never steps. */
  now(): number;
  /** Calls back after `ms`; returns a function that prevents it. */
  after(ms: number, call: () => void): () => void;
}

/** The clock of the process. Its timers keep no process alive. */
export const CLOCK: Clock = {
  now: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** A writer of whom nothing is known. */
export const UNKNOWN_WRITER: Principal = { kind: 'service', verified: false };

export function whoOf({ who }: Pick<Ask, 'who'>): Principal {
  return who?.() ?? UNKNOWN_WRITER;
}

/** Calls `typed` if an earlier attempt of this write has typed, else `not`; calls `failed` if nobody knows. */
export function unlessTyped(
  { wasTyped }: Ask,
  typed: () => void,
  not: () => void,
  failed: (fault: unknown) => void,
): void {
  if (wasTyped) wasTyped().then((was) => (was ? typed() : not()), failed);
  else not();
}

/** Returns the fields of a request that say how it wants to pass the gate; undefined if it says nothing. */
export function wishIn({ whenBusy, queueMs, ifAgent, lease }: GateWish): GateWish | undefined {
  const wish = { whenBusy, queueMs, ifAgent, lease };
  return Object.values(wish).some((value) => value !== undefined) ? wish : undefined;
}
