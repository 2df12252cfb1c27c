/** Watches: standing searches in what terminals print. */
import { HEARTBEAT_DEADLINE_MS } from './engine.js';
import { KiB } from './units.js';

/**
 * Time limit for a shard to follow which output clients watch. Longer than a hung shard lives: its heartbeat ends it first,
 * and its successor follows at once.
 */
export const WATCH_DEADLINE_MS = 2 * HEARTBEAT_DEADLINE_MS;

/** Watches kept at once. */
export const MAX_WATCHES = 2_000;

/** Actions of one watch. */
export const MAX_WATCH_ACTIONS = 10;

/** Terminals that one watch may name. */
export const MAX_WATCH_TERMINALS = 1_000;

/** UTF-16 units of a line that are searched at once: of a longer line, each part by itself. */
export const MAX_WATCHED_LINE_CHARS = 4 * KiB;

/** UTF-16 units of a matched line that its event contains. */
export const MAX_MATCH_TEXT_CHARS = 500;

/** Plain characters in a row that a regular expression must contain: only lines that contain them are tried. */
export const MIN_REGEX_LITERAL_CHARS = 3;

/** How long a shard gathers matches before it reports them, and how long soon after a report: a flood makes few messages. */
export const MATCH_GATHER_MS = 20;
export const MATCH_REST_MS = 250;

/** Quiet time after which a line that has not ended is tried by regular expressions: it may be a question. */
export const OPEN_LINE_QUIET_MS = 200;

/** Lines that one shard hands to regular expressions in a second, in all; it leaves out, and counts, any more. */
export const MAX_REGEX_LINES_PER_S = 500;

/** Lines that wait for the thread that tries regular expressions; beyond it lines are left out, and counted. */
export const MAX_QUEUED_REGEX_LINES = 2_000;

/** How long a regular expression is not tried after it took too long on a line; its lines are left out, and counted. */
export const SLOW_REGEX_REST_MS = 10_000;

/** Matches within this time after an event of the same watch and terminal become one event. */
export const DEFAULT_WATCH_DEBOUNCE_MS = 2_000;
export const MAX_WATCH_DEBOUNCE_MS = 3_600_000;

/** Events of one watch about one terminal within a minute; further matches are gathered. */
export const DEFAULT_WATCH_EVENTS_PER_MINUTE = 6;
export const MAX_WATCH_EVENTS_PER_MINUTE = 600;

/** Longest life of a watch: 30 days. */
export const MAX_WATCH_LIFE_MS = 30 * 24 * 3_600_000;

/** Interval at which the terminal of an action is looked at while a line waits for it to be idle. */
export const WATCH_INPUT_LOOK_MS = 1_000;

/** Pause between two writes of the counts of watches. */
export const WATCH_COUNTS_WRITE_MS = 1_000;
