/** Looks at coding agents, and their screen rules. */

/** Interval between looks at processes and screens while a client follows agents. */
export const AGENT_LOOK_MS = 1_000;

/** Agents are looked at for this long after the last client that follows them has left, since it may come back. */
export const AGENT_UNFOLLOW_MS = 5_000;

/**
 * Where no rule decides, an agent that has printed within this time counts as working. Spinners turn ten times a
 * second.
 */
export const AGENT_QUIET_MS = 1_500;

/**
 * An agent that seems to be starting, since it has printed nothing or its terminal still hands out input line by line,
 * counts as idle only after it has been quiet for so long.
 */
export const AGENT_START_MS = 20_000;

/** Time limit of a look at a screen, so that one hung shard does not delay the list of all processes. */
export const AGENT_LOOK_DEADLINE_MS = 1_000;

/** Screen rules of one agent in the settings; each runs at every look. */
export const MAX_AGENT_RULES = 50;
/** Characters of one screen rule in the settings. */
export const MAX_AGENT_RULE_CHARS = 256;
/** Rows that one screen rule looks at. */
export const MAX_AGENT_RULE_ROWS = 50;

/** Rows that a screen rule looks at when it names no number: a dialog and the footer below it. */
export const DEFAULT_AGENT_RULE_ROWS = 12;
