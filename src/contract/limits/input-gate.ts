/** The input gate: leases, drafts, lines of writers. */

/** Milliseconds that a lease holds unless its request says otherwise: long enough for a prompt and a look at its effect. */
export const DEFAULT_LEASE_MS = 30_000;

/** Longest lease; a holder that needs longer renews it, so that a dead holder does not block other writers for long. */
export const MAX_LEASE_MS = 600_000;

/** Writers and requests for a lease that wait for one terminal; more are refused. */
export const MAX_WAITING_WRITERS = 64;

/** Milliseconds that a write with `whenBusy: "queue"` waits unless its request says otherwise. */
export const DEFAULT_QUEUE_MS = 30_000;

/** Milliseconds that a request for a lease waits for input that is on its way, even if it asks for no wait. */
export const LEASE_SETTLE_MS = 1_000;

/** Advice to a refused writer when it is unknown how long the terminal stays busy. */
export const BUSY_RETRY_MS = 1_000;

/** A person who has typed this recently may be about to type on. */
export const DEFAULT_HUMAN_QUIET_MS = 3_000;

/** A half-typed line that its author has left for this long no longer blocks other writers. */
export const DEFAULT_DRAFT_HOLD_MS = 600_000;

/** Looks at an agent for one write, if other input outdates each of them. */
export const MAX_AGENT_LOOKS = 3;
