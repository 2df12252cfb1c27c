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

/** A scrape of the metrics waits this long for a shard; one that does not answer is reported as down. */
export const SCRAPE_DEADLINE_MS = 1_000;

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

/** MiB of each job thread's heap for what is young: jobs make much garbage and hold little. Node's 48 stay resident. */
export const JOB_YOUNG_HEAP_MIB = 8;

/** Jobs that may wait for a thread; beyond it requests answer 503. */
export const MAX_QUEUED_JOBS = 256;

/** Bytes that the search index may take on disk (setting `search.maxBytes`), and what a setting may ask for. */
export const DEFAULT_SEARCH_BYTES = 1024 * MiB;
export const MIN_SEARCH_BYTES = 16 * MiB;
export const MAX_SEARCH_BYTES = 1024 * 1024 * MiB;

/** Origins in the setting `network.allowedOrigins`. */
export const MAX_ALLOWED_ORIGINS = 100;

/** Entries of a table in the settings (`cliTypes`, `agents`), and of a list in one of them. */
export const MAX_TABLE_ENTRIES = 1_000;

/** Entries of `permissions` in a legacy token, which go into the token as they are. */
export const MAX_TOKEN_PERMISSIONS = 100;

/** Bytes of randomness in the token of exposed mode; it is written as 64 hex characters (SPEC.md, Limits). */
export const AUTH_TOKEN_BYTES = 32;

/** Reading the whole store at start ends by now; it holds a few MB, which take 20 ms. */
export const STORE_CHECK_DEADLINE_MS = 30_000;

/** Bytes of a record's id; LMDB takes 1,978, and a record set aside has its collection and the time before it. */
export const MAX_STORE_ID_BYTES = 1_500;

/** Custom profiles kept at once; the list is sent whole. */
export const MAX_CUSTOM_PROFILES = 1_000;

/** Panes of a posted layout, splits included: far above the terminals one machine holds. */
export const MAX_LAYOUT_PANES = 10_000;

/** Splits within splits; a screen cannot show more, and each is a level of recursion in whoever reads it. */
export const MAX_LAYOUT_DEPTH = 50;

/** A pane that a split would make a smaller fraction of its parent has all its siblings evened out instead. */
export const MIN_PANE_FRACTION = 0.001;

/** A pane's size as a client may give it; only its ratio to its siblings matters. */
export const MAX_PANE_SIZE = 1_000_000;

/** Connections on the canvas; beyond it the oldest of terminals that are gone make room. */
export const MAX_CONNECTIONS = 10_000;

/** Processes read from /proc in one go: about 0.5 ms, after which the main thread serves others. */
export const PROCESS_SLICE = 50;

/** Processes of one foreground job that are looked at for an agent, the oldest first. */
export const MAX_AGENT_CANDIDATES = 16;

/** CPU use is measured over at least this much; the clock of /proc ticks every 10 ms. */
export const MIN_CPU_INTERVAL_MS = 200;

/** ... over this much when there is no earlier sample, ... */
export const CPU_INTERVAL_MS = 250;

/** ... (systeminformation answers from its memory when asked again within 500 ms), ... */
export const PORTABLE_CPU_INTERVAL_MS = 600;

/** ... and an earlier sample is of no use once it is older than this. */
export const MAX_CPU_INTERVAL_MS = 60_000;

/** tmux answers within this; starting a WSL distribution may take longer. */
export const TMUX_DEADLINE_MS = 3_000;
export const WSL_DEADLINE_MS = 20_000;

/** A recorded event gathers the output of one moment: at most this much time, or MAX_FRAME_BYTES. */
export const RECORDING_EVENT_MS = 16;

/** What a recorder holds is written by now, so that a crash of the machine's power costs no more. */
export const RECORDING_FLUSH_MS = 50;

/** ... or when this many characters of events have gathered: a write of this size costs well under 1 ms. */
export const RECORDING_BUFFER_CHARS = 256 * KiB;

/** What was recorded goes to the disk in the background in steps of this, so that little is left at the stop. */
export const RECORDING_SYNC_BYTES = 8 * MiB;

/** Bytes of a recording's head: one memory page, which the kernel writes whole or not at all. */
export const MAX_RECORDING_HEAD_BYTES = 4 * KiB;

/** One event's line: typed text of MAX_PENDING_INPUT_BYTES takes six characters for each control character. */
export const MAX_RECORDING_LINE_BYTES = 16 * MiB;

/** A job reads this much of a recording at a time: a millisecond, and all that is in memory of it. */
export const RECORDING_SLICE_BYTES = 64 * KiB;

/** Search hits when the request names no number, and what it may ask for (SPEC.md, Limits). */
export const DEFAULT_SEARCH_LIMIT = 50;
export const MAX_SEARCH_LIMIT = 1_000;

/** Characters (UTF-16 units) of a search query or prefix: far above what somebody types. */
export const MAX_SEARCH_QUERY_CHARS = 1_000;

/** Characters of a hit's context before and after its first match (SPEC.md, Limits). */
export const SEARCH_CONTEXT_CHARS = 50;

/** Matches that a hit names of one document: a query of one letter has thousands. */
export const MAX_SEARCH_MATCHES = 1_000;

/** Words in one answer of suggestions (SPEC.md, Limits), and characters of the longest word suggested. */
export const MAX_SUGGESTIONS = 10;
export const MAX_SUGGESTION_CHARS = 100;

/** A search or a suggestion answers by now, or with 503; a scan of 1 GiB takes well under a second. */
export const SEARCH_DEADLINE_MS = 10_000;

/** Searches and suggestions at once; beyond it they answer 503. */
export const MAX_SEARCHES = 32;

/** Bytes of one document's text; longer ones are split at line ends. A thousand hits are then 16 MB at most. */
export const MAX_DOCUMENT_BYTES = 16 * KiB;

/** Bytes of a block of documents: what is read and skipped as one, and whole memory pages with LMDB's header. */
export const SEARCH_BLOCK_BYTES = 64 * KiB - 24;

/** Blocks of the first step of a scan (8 MiB, about 5 ms), and of each further one (64 MiB). */
export const SCAN_FIRST_BLOCKS = 128;
export const SCAN_STEP_BLOCKS = 1_024;

/** Documents are committed by now after they came; a crash costs no more. */
export const SEARCH_COMMIT_MS = 500;

/** Bytes of documents that wait for the disk; beyond it text is left out. */
export const MAX_UNCOMMITTED_SEARCH_BYTES = 16 * MiB;

/** Text that all terminals together may feed to the index, in bytes a second and at once: main-thread time. */
export const SEARCH_INTAKE_BYTES_PER_S = 8 * MiB;
export const SEARCH_INTAKE_BURST_BYTES = 16 * MiB;

/** Characters of one typed line that are indexed; the rest of a longer one is not. */
export const MAX_TYPED_LINE_CHARS = 4 * KiB;

/** Output that a terminal may feed to the search index, in bytes a second and at once: rendering is a second parse. */
export const FEED_BYTES_PER_S = 2 * MiB;
export const FEED_BURST_BYTES = 4 * MiB;

/** ... and all terminals of a shard together: about a tenth of its time. */
export const SHARD_FEED_BYTES_PER_S = 4 * MiB;
export const SHARD_FEED_BURST_BYTES = 8 * MiB;

/** Output that waits in a shard to be rendered for the index; beyond it more is left out. */
export const MAX_FEED_QUEUE_BYTES = 8 * MiB;

/** A terminal's output is fed when it has been quiet for this long, ... */
export const FEED_QUIET_MS = 1_000;

/** ... or at the next line end when this much has gathered or time has passed, ... */
export const FEED_STRETCH_BYTES = 128 * KiB;
export const FEED_LINE_END_MS = 4_000;

/** ... and without a line end at this much or by now. */
export const MAX_FEED_STRETCH_BYTES = 256 * KiB;
export const FEED_DEADLINE_MS = 5_000;

/** What has been printed before a stop or a clearing is fed by now; a flood's last stretches may be missing. */
export const FEED_SETTLE_MS = 1_000;

/** Bytes of an escape sequence carried over from one stretch to the next; of a longer one its text is left out. */
export const MAX_FEED_CARRY_BYTES = 64 * KiB;
