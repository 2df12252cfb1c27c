/** The tool server. */
import { MAX_DIMENSION } from './engine.js';
import { MAX_SCROLLBACK } from './gateway.js';
import { KiB, MiB } from './units.js';

/** An MCP session that nobody has used for so long is dropped; its client may go on with it all the same. */
export const DEFAULT_SESSION_IDLE_MS = 3_600_000;

/** ... at the earliest after a second: a client that thinks between two calls keeps its streams. */
export const MIN_SESSION_IDLE_MS = 1_000;

/** Sessions at once; beyond it the one that was used longest ago makes room. */
export const MAX_MCP_SESSIONS = 10_000;

/** Requests of one session in work at once, its stream included; beyond it they answer 503. */
export const MAX_SESSION_CALLS = 1_000;

/** Ids of deleted sessions that are remembered, so that they answer 404. */
export const MAX_DELETED_SESSIONS = 10_000;

/** Characters of a session id that is taken up again; ours have 36. */
export const MAX_SESSION_ID_CHARS = 128;

/** A tool call that goes on tells its client so this often, where it wants to know. */
export const PROGRESS_INTERVAL_MS = 5_000;

/** How often it is looked whether the process of MCP_PARENT_PID lives. */
export const PARENT_POLL_MS = 1_000;

/** The sidecar gets this long to load and to listen. */
export const SIDECAR_START_MS = 20_000;

/** ... and this long to end, before it is killed. */
export const SIDECAR_STOP_MS = 1_000;

/**
 * A sidecar that dies is started again, at once and then after growing delays, since what kills it (no memory, no
 * descriptors) may pass in seconds. One that dies more often has something in it that kills it, and gets a try a minute.
 */
export const SIDECAR_RESTARTS = {
  restarts: 5,
  withinMs: 600_000,
  delaysMs: [0, 500, 1_000, 2_000, 4_000],
  retryMs: 60_000,
} as const;

/** A sidecar whose port somebody else has taken while it was down tries this often to listen on it. */
export const SIDECAR_PORT_RETRY_MS = 1_000;

/** What a stop has to say to calls in work gets this long to go out: less than the sidecar has to end. */
export const LAST_ANSWERS_MS = 500;

/** Default time of `execute_command` with `wait`: answered before clients give up that do so after a minute. */
export const DEFAULT_TOOL_WAIT_MS = 55_000;

/** Size of a terminal that `create_terminal` makes when its caller names none (SPEC.md, Limits). */
export const DEFAULT_TOOL_COLS = 120;
export const DEFAULT_TOOL_ROWS = 40;

/** Lines that `get_terminal_output` answers at most: no terminal keeps more of them. */
export const MAX_TOOL_LINES = MAX_SCROLLBACK + MAX_DIMENSION;

/** Bytes of output in one answer of `execute_command`, divided among its terminals: a model reads all of it, ... */
export const MAX_TOOL_ANSWER_BYTES = 1 * MiB;

/** ... of each terminal so much at most, and so much at least, however many there are. */
export const MAX_TOOL_RESULT_BYTES = 256 * KiB;
export const MIN_TOOL_RESULT_BYTES = 2 * KiB;

/** Bytes of a picture that a tool gives: 5 MB in base64, the most that usual models take. */
export const MAX_TOOL_IMAGE_BYTES = 3_750_000;

/** Arguments of one tool call; no tool has as many, and to name those that are wrong takes long. */
export const MAX_TOOL_ARGUMENTS = 100;

/** A client that has taken nothing of its answer for this long is cut off: the answer stands in memory. */
export const MCP_STALL_MS = 60_000;
