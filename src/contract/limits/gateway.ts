/** Requests, WebSocket clients and settings. */
import { KiB, MiB } from './units.js';

/** Bytes of one JSON body; larger ones answer 413. */
export const MAX_BODY_BYTES = 8 * MiB;

/** Bytes of one WebSocket message from a client; larger ones close the connection with 1009. */
export const MAX_WS_MESSAGE_BYTES = 1 * MiB;

/** A resync that failed is asked for again after this. */
export const RESYNC_RETRY_MS = 1_000;

/** Bytes queued for one WebSocket client; beyond it the client is cut to a snapshot. */
export const MAX_CLIENT_QUEUE_BYTES = 4 * MiB;

/** A client that was cut is resynced once its queue has drained to this. */
export const RESYNC_BELOW_BYTES = 64 * KiB;

/** WebSocket pings; a client that has not answered one by the next is terminated. */
export const PING_INTERVAL_MS = 30_000;

/** A closing WebSocket gets this long to answer the close frame. */
export const CLOSE_GRACE_MS = 300;

/** Default of `?lines=` (SPEC.md, Limits). */
export const DEFAULT_OUTPUT_LINES = 50;

/** Ids in one batch request: far above the terminals one machine holds, small enough to answer at once. */
export const MAX_BATCH_TERMINALS = 10_000;

/** Characters of a name or id that a client chooses; they are kept for as long as the terminal lives. */
export const MAX_LABEL_CHARS = 1_000;

/**
 * Characters of one string that reaches a process: Linux cuts execve off at 128 KiB a string, and a UTF-16
 * unit takes at most three bytes of UTF-8.
 */
export const MAX_PROCESS_STRING_CHARS = 32 * KiB;

/** ... and of all of a request's environment and arguments together: execve takes 2 MiB in all. */
export const MAX_PROCESS_STRINGS_CHARS = 256 * KiB;

/** Characters of a cwd; Linux' PATH_MAX. */
export const MAX_PATH_CHARS = 4_096;

/** A client gets this long to send its request, so that half-open ones do not gather. */
export const REQUEST_TIMEOUT_MS = 60_000;

/** Requests of one connection in work at once; browsers have none in a pipeline, and few clients more than these. */
export const MAX_PIPELINED_REQUESTS = 16;

/** Bytes of answers that the client of a connection has not taken; above it the next request of its pipeline waits. */
export const MAX_PIPELINED_ANSWER_BYTES = 256 * KiB;

/** Seconds after which a request that was refused for want of room (429, 503) may be sent again. */
export const RETRY_AFTER_S = 1;

/** How long a client that sends too large a body is read on, so that it lives to read the 413. */
export const OVERSIZE_DRAIN_MS = 2_000;

/** Longest `x-request-id` taken over from a client. */
export const MAX_REQUEST_ID_CHARS = 128;

/** TCP ports a setting may name; below are the privileged ones. 0 asks for any free port. */
export const MIN_PORT = 1024;
export const MAX_PORT = 65_535;

/** Default ports (SPEC.md, Limits). */
export const DEFAULT_API_PORT = 42_031;
export const DEFAULT_MCP_PORT = 42_032;
export const DEFAULT_DASHBOARD_PORT = 42_030;

/** Lines of scrollback a setting may ask for: 100,000 full lines are about 140 MB of screen. */
export const MAX_SCROLLBACK = 100_000;

/** Rows of a capture that are made in one go: about 1 ms with 20 colours in each; then the main thread serves others. */
export const CAPTURE_SLICE_ROWS = 100;

/** Longest delay a timer of Node takes (24.8 days); a longer one would fire at once. */
export const MAX_TIMER_MS = 2_147_483_647;

/** Shards a setting may ask for; more than cores only cost memory. */
export const MAX_SHARDS = 64;

/** Between paste and submit for agents: they swallow an Enter that comes in the same read as a paste. */
export const AGENT_SUBMIT_DELAY_MS = 150;

/** Longest delay between paste and submit that a setting may name; other writes wait behind it. */
export const MAX_SUBMIT_DELAY_MS = 10_000;

/** Origins in the setting `network.allowedOrigins`. */
export const MAX_ALLOWED_ORIGINS = 100;

/** Entries of a table in the settings (`cliTypes`, `agents`), and of a list in one of them. */
export const MAX_TABLE_ENTRIES = 1_000;

/** Entries of `permissions` in a legacy token, which go into the token as they are. */
export const MAX_TOKEN_PERMISSIONS = 100;

/** Bytes of randomness in the token of exposed mode; it is written as 64 hex characters (SPEC.md, Limits). */
export const AUTH_TOKEN_BYTES = 32;

/** A download whose client has taken nothing of it for this long is broken off: it holds a file and a socket. */
export const DOWNLOAD_STALL_MS = 120_000;

/** Downloads at once; beyond it requests answer 503. Each has a file and a socket open, and a slice in memory. */
export const MAX_DOWNLOADS = 64;

/** At a start a taken port is waited for this long: the service before, or its tool server, may be about to end. */
export const PORT_RELEASE_MS = 1_000;
