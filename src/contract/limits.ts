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

/** A shard moves a terminal's checkpoint when this much was parsed since the last one: half the log's bound. */
export const CHECKPOINT_EVERY_BYTES = 512 * KiB;

/** ... or when the terminal has been quiet for this long with anything unsaved. */
export const CHECKPOINT_IDLE_MS = 2_000;

/** Raw output a shard keeps for `?since=`; older output answers `gap: true`. */
export const HISTORY_BYTES = 256 * KiB;

/** Bytes queued for one WebSocket client; beyond it the client is cut to a snapshot. */
export const MAX_CLIENT_QUEUE_BYTES = 4 * MiB;

/** A client that was cut is resynced once its queue has drained to this. */
export const RESYNC_BELOW_BYTES = 64 * KiB;

/** One output frame gathers at most this much output, ... */
export const MAX_FRAME_BYTES = 64 * KiB;

/** ... or this much time, once a first frame went out at once. */
export const FRAME_INTERVAL_MS = 4;

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
