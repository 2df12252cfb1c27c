import type { DomainError } from '../../contract/errors.js';
import type { GateWish, WhenBusy } from '../../contract/input-gate.js';
import type { Principal } from '../../contract/principal.js';
import type { AgentStatus } from '../../contract/wait.js';
import type { Hold } from './hold.js';

/** A client that asks for a lease. */
export interface Claimant {
  who: () => Principal;
  signal: AbortSignal;
}

/** Terms on which a write asks to pass the gate. All are optional: a write without any goes by the setting. */
export interface Ask {
  /** Returns the writer; called only when it has to be reported. */
  who?: (() => Principal) | undefined;
  /**
   * Returns why the writer may not type into a terminal any more; undefined if it may. Asked whenever something is sent:
   * while a write waits, the token of its client may end, and the terminal may go out of the token's reach.
   */
  refusal?: ((terminalId: string) => DomainError | undefined) | undefined;
  /** Idempotency-Key of the request. */
  request?: string | undefined;
  whenBusy?: WhenBusy | undefined;
  /** Milliseconds to wait in line. */
  queueMs?: number | undefined;
  /** The coding agent must have one of these statuses. */
  ifAgent?: readonly AgentStatus[] | undefined;
  /** Id of the lease under which it is typed. */
  lease?: string | undefined;
  /** The hold under which it is typed: neither the hold nor the waiters for its end are in the way. */
  hold?: Hold | undefined;
  /** Whether a lease that has ended counts as no lease, for a write that matters even after the lease. */
  isLeaseOptional?: boolean;
  /** When it fires, the write leaves the line and rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Resolves with whether an earlier attempt has typed it; if so, the write passes in any case, so that it is answered. */
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

/** A writer about which nothing is known. */
export const UNKNOWN_WRITER: Principal = { kind: 'service', verified: false };

export function whoOf({ who }: Pick<Ask, 'who'>): Principal {
  return who?.() ?? UNKNOWN_WRITER;
}

/** Calls `typed` if an earlier attempt of this write has typed, else `not`; calls `failed` if that cannot be determined. */
export function unlessTyped(
  { wasTyped }: Ask,
  typed: () => void,
  not: () => void,
  failed: (fault: unknown) => void,
): void {
  if (wasTyped) wasTyped().then((was) => (was ? typed() : not()), failed);
  else not();
}

/** Returns the fields of a request for the gate; undefined if it has none. */
export function wishIn({ whenBusy, queueMs, ifAgent, lease }: GateWish): GateWish | undefined {
  const wish = { whenBusy, queueMs, ifAgent, lease };
  return Object.values(wish).some((value) => value !== undefined) ? wish : undefined;
}

/** Throws the refusal of a writer: its rights may have ended since they were checked, as while the pty host was away. */
export function throwIfRefused(id: string, ask: Pick<Ask, 'refusal'> | undefined): void {
  const refused = ask?.refusal?.(id);
  if (refused) throw refused;
}
