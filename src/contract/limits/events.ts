/** The log of events and its clients. */
import { KiB, MiB } from './units.js';

/** Events kept for clients that resume; the oldest go first. Hours of a busy fleet. */
export const MAX_EVENTS = 10_000;

/** Bytes of the kept events together, as they are on disk; in memory all but the newest are packed. */
export const MAX_EVENTS_BYTES = 16 * MiB;

/** Counted for each kept event beside its texts: what its objects take in memory before they are packed. */
export const EVENT_OVERHEAD_BYTES = 256;

/** Interval of the comments that keep proxies and clients from taking a quiet stream for a dead one. */
export const EVENT_HEARTBEAT_MS = 15_000;

/**
 * Events that a filter may leave out before the client is sent its new position without waiting for the heartbeat: a
 * tenth of the kept events, so that a client that is cut off between two heartbeats still finds its place.
 */
export const EVENT_POSITION_EVERY = 1_000;

/**
 * Characters of events that are handed to the socket of a client at once; the others stay in the log until the client
 * has taken these. So a client that does not read costs no more than this.
 */
export const EVENT_SLICE_CHARS = 64 * KiB;

/** Heartbeats in a row at which a client has taken nothing although something waits for it; it is then disconnected. */
export const EVENT_STALL_HEARTBEATS = 4;

/** Changes of the layout or of the canvas within this time are one event. */
export const EVENT_CHANGES_MS = 100;

/** Interval at which a terminal that keeps printing is reported as active. */
export const ACTIVITY_EVERY_MS = 1_000;

/** Least time between two reports of a terminal's title, and between two of its bells: some programs animate titles. */
export const SIGN_EVERY_MS = 1_000;

/** Bytes of a title that are read; the rest is left out. Enough for MAX_TITLE_CHARS in any script. */
export const MAX_TITLE_BYTES = 1 * KiB;

/** UTF-16 units of a title that are reported. */
export const MAX_TITLE_CHARS = 256;

/** A client for which this much waits is not sent which terminals print: the next report replaces the missed report. */
export const ACTIVITY_BELOW_BYTES = 64 * KiB;

/** Commands of one terminal that are known to run: far more than nested shells need; it bounds commands whose end was lost. */
export const MAX_OPEN_COMMANDS = 100;

/** Pause before the log is written again after a write has failed. */
export const EVENT_LOG_RETRY_MS = 1_000;

/** Characters of the parameters `types` and `terminals`; a request line holds no more than 16 KiB. */
export const MAX_EVENT_FILTER_CHARS = 10_000;
