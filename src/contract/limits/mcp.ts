/** The tool server. */
import { MAX_DIMENSION } from './engine.js';
import { MAX_SCROLLBACK } from './gateway.js';
import { KiB, MiB } from './units.js';

/** An MCP session that is unused for this long is dropped; its client may continue with it all the same. */
export const DEFAULT_SESSION_IDLE_MS = 3_600_000;

/**
 * Shortest idle time of an MCP session that a setting may name, so that a client that thinks between two calls keeps
 * its streams.
 */
export const MIN_SESSION_IDLE_MS = 1_000;

/**
 * Sessions at once; beyond it the idle session that was used longest ago is dropped, and requests answer 503 if none is
 * idle.
 */
export const MAX_MCP_SESSIONS = 10_000;

/** Requests of one session in work at once, its stream included; beyond it they answer 503. */
export const MAX_SESSION_CALLS = 1_000;

/** Ids of deleted sessions that are remembered, so that they answer 404. */
export const MAX_DELETED_SESSIONS = 10_000;

/** Characters of a session id from a client that is accepted again; our own ids have 36. */
export const MAX_SESSION_ID_CHARS = 128;

/** How often a running tool call reports progress to a client that asked for it. */
export const PROGRESS_INTERVAL_MS = 5_000;

/** How often the tool server checks whether the process of MCP_PARENT_PID lives. */
export const PARENT_POLL_MS = 1_000;

/** The sidecar gets this long to load and to listen. */
export const SIDECAR_START_MS = 20_000;

/** The sidecar gets this long to end, before it is killed. */
export const SIDECAR_STOP_MS = 1_000;

/**
 * Restarts of a sidecar that dies: at once and then after growing delays, since the cause (no memory, no descriptors)
 * may pass in seconds. A sidecar that dies more often has a lasting fault, and is started once a minute.
 */
export const SIDECAR_RESTARTS = {
  restarts: 5,
  withinMs: 600_000,
  delaysMs: [0, 500, 1_000, 2_000, 4_000],
  retryMs: 60_000,
} as const;

/** How often a sidecar retries to listen on its port when another process took the port while the sidecar was down. */
export const SIDECAR_PORT_RETRY_MS = 1_000;

/** How long a stop waits for the last answers to calls in work to go out: less than the sidecar gets to end. */
export const LAST_ANSWERS_MS = 500;

/** Default time limit of `execute_command` with `wait`: it answers before clients that give up after a minute. */
export const DEFAULT_TOOL_WAIT_MS = 55_000;

/** Columns of a terminal that `create_terminal` makes when its caller names none. */
export const DEFAULT_TOOL_COLS = 120;
/** Rows of a terminal that `create_terminal` makes when its caller names none. */
export const DEFAULT_TOOL_ROWS = 40;

/** Most lines that `get_terminal_output` returns: no terminal keeps more. */
export const MAX_TOOL_LINES = MAX_SCROLLBACK + MAX_DIMENSION;

/** Bytes of output in one answer of `execute_command`, divided among its terminals: a model reads all of it. */
export const MAX_TOOL_ANSWER_BYTES = 1 * MiB;

/** Most bytes of output for one terminal in an answer of `execute_command`. */
export const MAX_TOOL_RESULT_BYTES = 256 * KiB;
/** Bytes of output granted to each terminal in an answer of `execute_command`, however many terminals there are. */
export const MIN_TOOL_RESULT_BYTES = 2 * KiB;

/** Bytes of a picture that a tool returns: 5 MB in base64, the most that usual models accept. */
export const MAX_TOOL_IMAGE_BYTES = 3_750_000;

/** Arguments of one tool call. No tool has as many, and listing all wrong ones would take long. */
export const MAX_TOOL_ARGUMENTS = 100;

/** A client that has taken nothing of its answer for this long is cut off, since the answer is held in memory. */
export const MCP_STALL_MS = 60_000;

/** Milliseconds for which the tool server has the service hold one request to learn when a caller's token ends. */
export const TOKEN_WATCH_MS = 60_000;

/** Pause before it asks again where the request was not held. */
export const TOKEN_WATCH_PAUSE_MS = 1_000;
