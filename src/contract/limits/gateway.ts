/** Requests, WebSocket clients and settings. */
import { KiB, MiB } from './units.js';

/** Bytes of one JSON body; larger ones answer 413. */
export const MAX_BODY_BYTES = 8 * MiB;

/** Bytes of one WebSocket message from a client; larger ones close the connection with 1009. */
export const MAX_WS_MESSAGE_BYTES = 1 * MiB;

/**
 * Most bytes of messages of one WebSocket client that wait until others of it are answered; above it the client is not
 * read, and its leaving not noticed.
 */
export const MAX_CLIENT_INBOX_BYTES = 1 * MiB;

/** Pause before a failed resync is requested again. */
export const RESYNC_RETRY_MS = 1_000;

/** Most bytes queued for one WebSocket client. Output that does not fit is dropped, and a screen takes its place later. */
export const MAX_CLIENT_QUEUE_BYTES = 4 * MiB;

/**
 * Counted for each queued message beside its bytes: memory of the socket's own objects for it. A flood in frames of a
 * hundred bytes would otherwise take three times the bound in memory.
 */
export const QUEUED_MESSAGE_BYTES = 512;

/** A client whose output was cut is resynced once its queue has drained to this many bytes. */
export const RESYNC_BELOW_BYTES = 64 * KiB;

/**
 * Interval of WebSocket pings. A client that neither answers a ping nor takes any data until the next is terminated.
 */
export const PING_INTERVAL_MS = 30_000;

/** Bytes of the log that wait for a reader of stderr that does not read; further lines are left out and counted. */
export const MAX_LOG_QUEUE_BYTES = 1 * MiB;

/**
 * Lines about refused clients in one window, of the log and of the audit log each; the others are counted, so that a
 * flood fills no disk, and drives no older line out of the audit log.
 */
export const MAX_LOGGED_REFUSALS = 10;

/** Length of that window. */
export const REFUSALS_WINDOW_MS = 60_000;

/** A closing WebSocket gets this long to answer the close frame. */
export const CLOSE_GRACE_MS = 300;

/** Lines of output in an answer when the request gives no `?lines=`. */
export const DEFAULT_OUTPUT_LINES = 50;

/** Longest time that a client waits for the text of a screen whose shard does not answer. */
export const SCREEN_TEXT_MS = 60_000;

/** Ids in one batch request: far above the terminals one machine holds, small enough to answer at once. */
export const MAX_BATCH_TERMINALS = 10_000;

/** Terminals that one request may create. */
export const MAX_CREATED_AT_ONCE = 1_000;

/** Terminals of one request that are created at the same time; the others wait. */
export const CREATES_IN_PROGRESS = 16;

/** Characters of a name or id that a client chooses; they are kept for as long as the terminal lives. */
export const MAX_LABEL_CHARS = 1_000;

/**
 * Characters of one string that reaches a process: Linux cuts execve off at 128 KiB a string, and a UTF-16 unit takes
 * at most three bytes of UTF-8.
 */
export const MAX_PROCESS_STRING_CHARS = 32 * KiB;

/** Characters of all of a request's environment and arguments together: execve takes 2 MiB in all. */
export const MAX_PROCESS_STRINGS_CHARS = 256 * KiB;

/** Characters of a cwd; Linux' PATH_MAX. */
export const MAX_PATH_CHARS = 4_096;

/** A client gets this long to send its request, so that half-open connections do not pile up. */
export const REQUEST_TIMEOUT_MS = 60_000;

/** Requests of one connection in work at once. Browsers do not pipeline, and few clients pipeline more than this. */
export const MAX_PIPELINED_REQUESTS = 16;

/** Bytes of answers that the client of a connection has not taken; above it the next request of its pipeline waits. */
export const MAX_PIPELINED_ANSWER_BYTES = 256 * KiB;

/** Seconds after which a request that was refused for lack of room (429, 503) may be sent again. */
export const RETRY_AFTER_S = 1;

/** How long the server reads on when a body is too large, so that the client gets to read the 413. */
export const OVERSIZE_DRAIN_MS = 2_000;

/** Longest `x-request-id` taken over from a client. */
export const MAX_REQUEST_ID_CHARS = 128;

/** Lowest TCP port a setting may name, since lower ones are privileged; 0 requests any free port. */
export const MIN_PORT = 1024;
/** Highest TCP port a setting may name. */
export const MAX_PORT = 65_535;

/** Default TCP port of the REST API and the WebSocket. */
export const DEFAULT_API_PORT = 42_031;
/** Default TCP port of the tool server. */
export const DEFAULT_MCP_PORT = 42_032;
/** Default TCP port of the dashboard. */
export const DEFAULT_DASHBOARD_PORT = 42_030;

/** Lines of scrollback a setting may ask for: 100,000 full lines are about 140 MB of screen. */
export const MAX_SCROLLBACK = 100_000;

/** Rows of a capture made in one go, about 1 ms with 20 colours in each; then the main thread does other work. */
export const CAPTURE_SLICE_ROWS = 100;

/** Milliseconds for which the API's document is made at a time, between the service's other work. */
export const DOCUMENT_SLICE_MS = 5;

/** Longest delay a timer of Node takes (24.8 days); a longer one would fire at once. */
export const MAX_TIMER_MS = 2_147_483_647;

/** Shards a setting may ask for; more than cores only cost memory. */
export const MAX_SHARDS = 64;

/** Delay between paste and submit for agents: they swallow an Enter that comes in the same read as a paste. */
export const AGENT_SUBMIT_DELAY_MS = 150;

/** Longest delay between paste and submit that a setting may name; other writes wait behind it. */
export const MAX_SUBMIT_DELAY_MS = 10_000;

/** Origins in the setting `network.allowedOrigins`. */
export const MAX_ALLOWED_ORIGINS = 100;

/** Entries of a table in the settings (`cliTypes`, `agents`), and of a list within such an entry. */
export const MAX_TABLE_ENTRIES = 1_000;

/** Entries of `permissions` in a legacy token, which are copied into the token. */
export const MAX_TOKEN_PERMISSIONS = 100;

/** Bytes of randomness in the token of exposed mode; it is written as 64 hex characters. */
export const AUTH_TOKEN_BYTES = 32;

/** A download is aborted when its client has taken nothing of it for this long, since it holds a file and a socket. */
export const DOWNLOAD_STALL_MS = 120_000;

/** Downloads at once; beyond it requests answer 503. Each has a file and a socket open, and a slice in memory. */
export const MAX_DOWNLOADS = 64;

/** How long a start waits for a taken port: the previous service, or its tool server, may be about to end. */
export const PORT_RELEASE_MS = 1_000;
