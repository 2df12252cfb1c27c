/** Every bound and deadline of the service, with its unit and its reason. */

const KiB = 1024;
const MiB = 1024 * KiB;

/** Columns and rows of a terminal; a kernel winsize holds 16 bits, a screen of 1000x1000 cells is 12 MB. */
export const MIN_DIMENSION = 1;
export const MAX_DIMENSION = 1000;

/** Size of a terminal when the creator names none (SPEC.md, Limits). */
export const DEFAULT_COLS = 80;
export const DEFAULT_ROWS = 24;

/** Bytes of one JSON body; larger ones answer 413. */
export const MAX_BODY_BYTES = 8 * MiB;

/** Bytes of one WebSocket message from a client; larger ones close the connection with 1009. */
export const MAX_WS_MESSAGE_BYTES = 1 * MiB;

/** Bytes typed into a terminal that its program has not read yet; a request over it is refused whole. */
export const MAX_PENDING_INPUT_BYTES = 1 * MiB;

/** Bytes read from a PTY that its shard has not confirmed; beyond it the PTY is not read and its program blocks. */
export const MAX_UNCONFIRMED_BYTES = 1 * MiB;

/** Bytes the pty host keeps after a terminal's checkpoint, for one terminal and for all together. */
export const MAX_LOG_BYTES = 1 * MiB;
export const MAX_TOTAL_LOG_BYTES = 64 * MiB;

/** A packed checkpoint fits into this, or goes without scrollback; the host refuses frames of twice the size. */
export const MAX_CHECKPOINT_BYTES = 4 * MiB;

/** A shard moves a terminal's checkpoint when this much was parsed since the last one: half the log's bound. */
export const CHECKPOINT_EVERY_BYTES = 512 * KiB;

/** ... or when the terminal has been quiet for this long with anything unsaved. */
export const CHECKPOINT_IDLE_MS = 2_000;

/** Raw output a shard keeps for `?since=`; older output answers `gap: true`. */
export const HISTORY_BYTES = 256 * KiB;

/** A resync that failed is asked for again after this. */
export const RESYNC_RETRY_MS = 1_000;

/** Bytes queued for one WebSocket client; beyond it the client is cut to a snapshot. */
export const MAX_CLIENT_QUEUE_BYTES = 4 * MiB;

/** A client that was cut is resynced once its queue has drained to this. */
export const RESYNC_BELOW_BYTES = 64 * KiB;

/** One output frame gathers at most this much output, ... */
export const MAX_FRAME_BYTES = 64 * KiB;

/** ... or this much time, once a first frame went out at once. */
export const FRAME_INTERVAL_MS = 4;

/** Frames a shard has posted and the main thread has not taken; beyond it output is dropped, as for a slow client. */
export const MAX_STREAM_BYTES = 16 * MiB;

/** The main thread reports what it has taken of a shard's frames in steps of this. */
export const STREAM_ACK_BYTES = 512 * KiB;

/** A shard parses at most this much of one terminal before it looks at the others: about 2 ms. */
export const PARSE_SLICE_BYTES = 64 * KiB;

/** Time the processes of a closed terminal get between SIGHUP and SIGKILL. */
export const KILL_GRACE_MS = 2_000;

/** The pty host ends itself when it has had neither service nor terminal for this long. */
export const HOST_IDLE_EXIT_MS = 10_000;

/** Terminals left without a service are closed after this long (setting `terminals.orphanMs`). */
export const DEFAULT_ORPHAN_MS = 24 * 3_600_000;

/** An exited terminal still answers reads for this long (setting `terminals.keepExitedMs`). */
export const DEFAULT_KEEP_EXITED_MS = 10 * 60_000;

/** Exited terminals kept at once; the oldest go first, so that short-lived ones cannot fill the memory. */
export const MAX_EXITED_TERMINALS = 500;

/** Lines of scrollback (setting `terminals.scrollback`). */
export const DEFAULT_SCROLLBACK = 1_000;

/** Every call to a shard or the pty host ends by now, with an error if need be. */
export const CALL_DEADLINE_MS = 10_000;

/** A shard that does not answer a heartbeat for this long is taken for hung and replaced. */
export const HEARTBEAT_INTERVAL_MS = 2_000;
export const HEARTBEAT_DEADLINE_MS = 10_000;

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

/** Longest delay a timer of Node takes (24.8 days); a longer one would fire at once. */
export const MAX_TIMER_MS = 2_147_483_647;

/** Shards a setting may ask for; more than cores only cost memory. */
export const MAX_SHARDS = 64;

/** Between paste and submit for agents: they swallow an Enter that comes in the same read as a paste. */
export const AGENT_SUBMIT_DELAY_MS = 150;

/** Longest delay between paste and submit that a setting may name; other writes wait behind it. */
export const MAX_SUBMIT_DELAY_MS = 10_000;

/** Bytes of a unix socket's path: macOS takes 104, Linux 108, both with the closing NUL. */
export const MAX_SOCKET_PATH_BYTES = 100;

/** Bytes of one frame on the pty host's socket; a longer one closes that connection. A checkpoint must fit. */
export const MAX_HOST_FRAME_BYTES = 8 * MiB;

/** Bytes of the opaque text the service keeps with a terminal in the pty host. */
export const MAX_HOST_META_BYTES = 64 * KiB;

/** The pty host stops filling a connection's socket at this much unsent; the rest waits in the logs. */
export const HOST_SOCKET_QUEUE_BYTES = 256 * KiB;

/** Resizes kept in one terminal's log; the oldest go first, which costs a replay some reflow, never a byte. */
export const MAX_LOG_RESIZES = 1_024;

/** A program that has exited and whose output stays silent and unmarked for this long has no output left. */
export const EXIT_QUIET_MS = 1_000;

/** Output read after a program's exit of which none can be its own: 16 times what a kernel buffers for a PTY. */
export const EXIT_FOREIGN_BYTES = 1 * MiB;

/** Longest pause of the pty host between two attempts to write to a program that does not read. */
export const MAX_WRITE_BACKOFF_MS = 50;

/** The pty host's log file is emptied at start when it has grown past this. */
export const MAX_HOST_LOG_FILE_BYTES = 1 * MiB;

/** Threads for exports and search scans; they start when needed and end when idle for this long. */
export const MAX_JOB_THREADS = 2;
export const JOB_IDLE_MS = 30_000;

/** Jobs that may wait for a thread; beyond it requests answer 503. */
export const MAX_QUEUED_JOBS = 256;
