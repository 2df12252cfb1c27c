/** Terminals, pty host and shards. */
import { KiB, MiB } from './units.js';

/** Minimum number of columns, and of rows, of a terminal. */
export const MIN_DIMENSION = 1;
/** Maximum number of columns, and of rows. A kernel winsize holds 16 bits; a screen of 1000x1000 cells is 12 MB. */
export const MAX_DIMENSION = 1000;

/** Columns of a terminal when the creator names none. */
export const DEFAULT_COLS = 80;
/** Rows of a terminal when the creator names none. */
export const DEFAULT_ROWS = 24;

/** Bytes typed into a terminal that its program has not read yet; a request that would exceed it is refused whole. */
export const MAX_PENDING_INPUT_BYTES = 1 * MiB;

/** Terminals that one message to the pty host types into: its answer, with an error for each, fits into a frame. */
export const MAX_TYPED_TOGETHER = 4_096;

/** Default nice value of programs in terminals, so that the service, which keeps its own, answers beside them. */
export const DEFAULT_PROGRAM_NICE = 10;
/** Largest nice value that the kernel knows. */
export const MAX_NICE = 19;

/**
 * Pause before a refused change of a session's nice value is tried again. Linux takes one change in a tenth of a second
 * from all unprivileged users together.
 */
export const AUTOGROUP_RETRY_MS = 110;

/**
 * How long a terminal that was typed into is preferred, and how many terminals are at a time: among many, none would
 * have an advantage, and each takes two of the changes that Linux allows.
 */
export const ATTENDED_MS = 1_000;
export const MAX_ATTENDED = 4;

/** Bytes read from a PTY that its shard has not confirmed; beyond it the PTY is not read and its program blocks. */
export const MAX_UNCONFIRMED_BYTES = 1 * MiB;

/**
 * End position of a terminal's output after its pty host was killed: the output is lost, and its length unknown. The
 * position is beyond what any program prints, so that every client's cursor lies before it, behind a gap.
 */
export const LOST_OUTPUT_END = 2 ** 50;

/** Bytes the pty host keeps after the checkpoint of one terminal. */
export const MAX_LOG_BYTES = 1 * MiB;
/** Bytes the pty host keeps after the checkpoints of all terminals together. */
export const MAX_TOTAL_LOG_BYTES = 64 * MiB;

/** Bytes of a packed checkpoint; a longer one is packed with less detail. The host refuses frames of twice the size. */
export const MAX_CHECKPOINT_BYTES = 4 * MiB;

/**
 * UTF-16 units of a saved screen with its scrollback; a longer one is saved with less detail. Saving 8 MiB makes the
 * shard's other terminals wait about 1 s, and a longer one seldom packs into a checkpoint.
 */
export const MAX_WHOLE_UNITS = 16 * MiB;
/**
 * UTF-16 units of a saved screen without scrollback; a longer one is saved with less detail, as with MAX_WHOLE_UNITS.
 */
export const MAX_SCREEN_UNITS = 8 * MiB;

/** Bytes parsed since the last checkpoint after which a shard makes the next: half the log's bound. */
export const CHECKPOINT_EVERY_BYTES = 512 * KiB;

/**
 * Quiet time after which a shard makes a checkpoint of a terminal, unless it has hardly any unsaved output.
 * SLEEP_AFTER_MS is counted in steps of it.
 */
export const CHECKPOINT_IDLE_MS = 2_000;

/** A screen that nothing has needed for this long is packed, and its memory freed. */
export const SLEEP_AFTER_MS = 10_000;

/**
 * Memory of a shard's unpacked screens. Beyond it, the screens needed longest ago are packed, except of terminals that
 * are busy.
 */
export const MAX_AWAKE_BYTES = 256 * MiB;

/** How often a thread checks whether it has memory to give back. */
export const MEMORY_LOOK_MS = 2_000;

/** Raw output a shard keeps for `?since=`; reads of older output answer `gap: true`. */
export const HISTORY_BYTES = 256 * KiB;

/** Raw output that a reader of a stream may be behind, unless the program waits for it; beyond it the reader is cut off. */
export const TAP_BYTES = 4 * MiB;
/** Raw output that a reader gets at once: enough that the call costs little; a quarter of the unconfirmed output. */
export const TAP_SLICE_BYTES = 256 * KiB;
/** A shard answers a reader of raw output at the latest after this long. */
export const TAP_WAIT_MS = 30_000;
/** How long the output of a terminal is held for its first reader: many times what a client takes to connect. */
export const HOLD_MS = 60_000;
/** Streams of raw output at once; each keeps a connection open for as long as its program runs. */
export const MAX_OUTPUT_STREAMS = 256;

/** Most output that one frame gathers. */
export const MAX_FRAME_BYTES = 64 * KiB;

/** Longest time that a frame gathers output; the first frame after a pause goes out at once. */
export const FRAME_INTERVAL_MS = 4;

/** Bytes of posted frames that the main thread has not taken from a shard; beyond it output is dropped, as for a slow client. */
export const MAX_STREAM_BYTES = 16 * MiB;

/** The main thread acknowledges a shard's frames in steps of this many bytes. */
export const STREAM_ACK_BYTES = 512 * KiB;

/** A shard parses at most this much of one terminal before it looks at the others: about 2 ms. */
export const PARSE_SLICE_BYTES = 64 * KiB;

/**
 * Estimated work of one parser step for sequences that do much for their length, in nanoseconds, apart from the step's
 * bytes. One sequence may exceed it by up to 20 ms on a screen of 1000x1000.
 */
export const STEP_WORK_NS = 2_000_000;

/**
 * Links (OSC 8) of a screen, each counted once per row that it is on: about 10 MB. Beyond it the oldest links are
 * forgotten.
 */
export const MAX_LINK_ROWS = 32 * 1024;

/** UTF-16 units of one OSC 8; a longer one makes no link. xterm takes up to 10 million, which cost half a second. */
export const MAX_LINK_SEQUENCE_UNITS = 64 * KiB;

/** UTF-16 units of the URIs and ids of a screen's links; beyond it the oldest links are forgotten. */
export const MAX_LINK_UNITS = 4 * MiB;

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

/** New terminals use the shells found up to this long ago, since a search for shells takes 1 to 15 ms. */
export const DETECTED_SHELLS_MS = 1_000;

/** Lines of scrollback (setting `terminals.scrollback`). */
export const DEFAULT_SCROLLBACK = 1_000;

/** Time limit of every call to a shard or the pty host; a call without an answer then fails with an error. */
export const CALL_DEADLINE_MS = 10_000;

/**
 * How long the caller waits beyond the deadline of a call to the pty host. The host drops calls that it has not begun
 * by the deadline; an answer sent at that moment still arrives.
 */
export const HOST_ANSWER_GRACE_MS = 1_000;

/** Operation ids of one terminal that the pty host remembers, so that it types nothing twice; the oldest go first. */
export const MAX_TYPED_ONCE = 1_000;
/** Operation ids of all terminals that the pty host remembers (about 20 MB); the oldest go first. */
export const MAX_TYPED_ONCE_IN_ALL = 100_000;
/** How long the pty host remembers the id of an operation whose text it has typed. */
export const TYPED_ONCE_MS = 24 * 3_600_000;

/** How often a shard is asked for a heartbeat. */
export const HEARTBEAT_INTERVAL_MS = 2_000;
/** A shard that does not answer a heartbeat for this long is taken for hung and replaced. */
export const HEARTBEAT_DEADLINE_MS = 10_000;

/** How long a scrape of the metrics waits for a shard; a shard that does not answer is reported as down. */
export const SCRAPE_DEADLINE_MS = 1_000;

/** Bytes of a unix socket's path: macOS takes 104, Linux 108, both with the closing NUL. */
export const MAX_SOCKET_PATH_BYTES = 100;

/**
 * Bytes of one frame on the pty host's socket. A longer checkpoint is ignored; any other longer frame closes that
 * connection.
 */
export const MAX_HOST_FRAME_BYTES = 8 * MiB;

/** Bytes of the opaque text the service keeps with a terminal in the pty host. */
export const MAX_HOST_META_BYTES = 64 * KiB;

/** The pty host stops filling a connection's socket at this much unsent; the remainder waits in the logs. */
export const HOST_SOCKET_QUEUE_BYTES = 256 * KiB;

/** Resizes kept in one terminal's log; the oldest go first, which costs a replay some reflow, never a byte. */
export const MAX_LOG_RESIZES = 1_024;

/**
 * If the PTY of an exited program is read for this long without output and without the end marker, no output is left.
 */
export const EXIT_QUIET_MS = 1_000;

/**
 * More bytes than can be printed and not read yet: 16 times the buffer of a kernel for a PTY. Output that is read after
 * this much was printed later: after a program's exit by other processes, and otherwise after the question.
 */
export const MAX_UNREAD_BYTES = 1 * MiB;

/** Longest pause of the pty host between two attempts to write to a program that does not read. */
export const MAX_WRITE_BACKOFF_MS = 50;

/**
 * File descriptors that the pty host keeps free by refusing further terminals: for connections of a service and its
 * shards, and for reading about processes to end them.
 */
export const RESERVED_FILES = 64;

/** The pty host's log file is emptied at start when it has grown past this. */
export const MAX_HOST_LOG_FILE_BYTES = 1 * MiB;

/** Ranges of output that a shard renders at once for requests: each takes a screen of up to 50 MB. */
export const MAX_RENDERS = 2;

/** Time a tmux server gets to end itself and everything in it, before it is killed. */
export const TMUX_END_DEADLINE_MS = 3_000;

/**
 * Time limit for tmux to answer a line of commands, or to start a program in a window; after it the server counts as
 * hung. A command takes 5 ms with 300 terminals.
 */
export const TMUX_COMMAND_DEADLINE_MS = 5_000;

/** Bytes of one answer of tmux (all of a terminal's scrollback with its colours), or of one line. */
export const MAX_TMUX_ANSWER_BYTES = 64 * MiB;

/** Grace for a tmux client: from the order to end, or from its end while its pipes are still open. */
export const TMUX_CLIENT_GRACE_MS = 1_000;

/**
 * How long a tmux server is not read, while a pane's output is held back, before the server is frozen. A shard catches
 * up well within this. A server that is not read buffers what its panes print: 20 MB/s at most.
 */
export const TMUX_PAUSE_MS = 250;

/**
 * How long a tmux server stays frozen before the held panes are stopped. By then a program that keeps printing has
 * filled its PTY, which takes 64 KiB, and sleeps.
 */
export const TMUX_FREEZE_MS = 50;

/** Time a tmux window gets to close by itself after its program has ended, before it is killed. */
export const TMUX_WINDOW_DEADLINE_MS = 1_000;
