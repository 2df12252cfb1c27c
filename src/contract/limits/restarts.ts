/**
 * Restarts of a shard that dies. A shard that dies more often has something in it that kills it, so another restart would
 * not help. None waits: nobody could read or watch the shard's terminals meanwhile.
 */
export const SHARD_RESTARTS = { restarts: 5, withinMs: 60_000 } as const;

/**
 * Milliseconds before each further try to start the host that takes the place of a dead host: a machine that is short of
 * memory or processes kills the host and starts no other, and is short of them for a moment only.
 */
export const HOST_START_DELAYS_MS = [1_000, 3_000, 9_000] as const;
