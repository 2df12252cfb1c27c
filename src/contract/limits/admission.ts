/** The admission of new terminals. */

/** Most terminals that the setting `limits.maxTerminals`, or a limit of a label, can name: far beyond what a machine runs. */
export const MAX_TERMINALS_SETTING = 100_000;

/** Entries of `limits.perLabel`: each is compared with the labels of each terminal whenever a creation waits. */
export const MAX_LABEL_LIMITS = 100;

/** Creations that wait in line at once; beyond it requests answer 429. As many as one batch can ask for. */
export const MAX_WAITING_CREATIONS = 1_000;

/** Lowest and highest `priority` of a creation; more steps than any client distinguishes. */
export const MAX_PRIORITY = 1_000;

/** How often the memory is checked while a creation waits for it. The kernel renews its averages every 2 s. */
export const MEMORY_LIMIT_LOOK_MS = 1_000;

/**
 * Least time between two admissions while a memory limit holds: four a second. An agent takes most of its memory in its
 * first seconds, so the memory that is available when it is admitted does not show whether forty more fit at once.
 */
export const ADMISSION_PACE_MS = 250;

/**
 * How long a creation without `queueMs` waits for that pace alone: 40 admissions. Clients that do not expect to wait give up
 * after half a minute or later.
 */
export const PACE_WAIT_MS = 10_000;

/**
 * How long a start with an unknown outcome counts as running: the pty host drops calls that it reads after their deadline,
 * and lists a terminal that starts late.
 */
export const UNKNOWN_START_MS = 60_000;

/** Advice to a client that was refused: terminals seldom end within less, and the next end cannot be predicted. */
export const OVER_LIMIT_RETRY_MS = 5_000;

/** Refusals within this time are one event, so that a client that asks again and again does not fill the log. */
export const REFUSAL_EVENT_MS = 1_000;
