/** Webhooks: posts to other programs, and further attempts at failed posts. */
import { KiB } from './units.js';

/** Webhooks kept at once; each may have two requests in work. */
export const MAX_WEBHOOKS = 100;

/** Characters of a webhook's URL. */
export const MAX_WEBHOOK_URL_CHARS = 2_000;

/** Types of events, and terminals, that one webhook may name. */
export const MAX_WEBHOOK_TYPES = 100;
export const MAX_WEBHOOK_TERMINALS = 1_000;

/** Time limit of one attempt, from looking the name up to the status of the answer. */
export const WEBHOOK_ATTEMPT_MS = 5_000;

/** Pauses after each failed attempt at a delivery; after the last attempt the delivery is dead. */
export const WEBHOOK_RETRY_MS: readonly number[] = [5_000, 30_000, 300_000, 1_800_000, 7_200_000, 21_600_000];

/**
 * Deliveries of one webhook that wait for another attempt. At this many the webhook reads no further events: they wait
 * in the log, which keeps the latest 10,000.
 */
export const MAX_WEBHOOK_RETRIES = 500;
/** Bytes of the bodies of these deliveries, which are in memory and on disk. */
export const MAX_WEBHOOK_RETRY_BYTES = 256 * KiB;

/** Attempts kept in the delivery log of one webhook; the oldest go first. */
export const MAX_WEBHOOK_ATTEMPTS = 100;

/** Events that a webhook may leave out before its place in the log is written again. */
export const WEBHOOK_PLACE_EVERY = 1_000;

/** Bytes of randomness in a webhook's secret; Standard Webhooks asks for 24 to 64. */
export const WEBHOOK_SECRET_BYTES = 32;

/** Pause before the record of a delivery is written again after a write has failed, as on a full disk. */
export const WEBHOOK_STORE_RETRY_MS = 1_000;
