/** Terminals, pty host and shards. */
import { KiB, MiB } from './units.js';

/** Columns and rows of a terminal; a kernel winsize holds 16 bits, a screen of 1000x1000 cells is 12 MB. */
export const MIN_DIMENSION = 1;
export const MAX_DIMENSION = 1000;

/** Size of a terminal when the creator names none (SPEC.md, Limits). */
export const DEFAULT_COLS = 80;
export const DEFAULT_ROWS = 24;

/** Bytes typed into a terminal that its program has not read yet; a request over it is refused whole. */
export const MAX_PENDING_INPUT_BYTES = 1 * MiB;

/** Terminals that one message to the pty host types into: its answer, with an error for each, fits into a frame. */
export const MAX_TYPED_TOGETHER = 4_096;

/** Nice value of programs in terminals, beside the service's own, and the largest there is. */
export const DEFAULT_PROGRAM_NICE = 10;
export const MAX_NICE = 19;

/** Linux takes one change of a session's nice value in a tenth of a second, from all unprivileged users together. */
export const AUTOGROUP_RETRY_MS = 110;

/**
 * How long a terminal that was typed into keeps half its nice value, and how many terminals have it at a time: with
 * many the share would be nobody's, and each takes two of the changes that Linux allows.
 */
export const ATTENDED_MS = 1_000;
export const MAX_ATTENDED = 4;

/** Bytes read from a PTY that its shard has not confirmed; beyond it the PTY is not read and its program blocks. */
export const MAX_UNCONFIRMED_BYTES = 1 * MiB;

/**
 * Position where the output of a terminal ends whose pty host was killed: nobody knows how much it has printed, and all
 * of it is gone. Beyond what any program prints, so that every cursor of a client lies before it, behind a gap.
 */
export const LOST_OUTPUT_END = 2 ** 50;

/** Bytes the pty host keeps after a terminal's checkpoint, for one terminal and for all together. */
export const MAX_LOG_BYTES = 1 * MiB;
export const MAX_TOTAL_LOG_BYTES = 64 * MiB;

/** A packed checkpoint fits into this, or goes with less detail; the host refuses frames of twice the size. */
export const MAX_CHECKPOINT_BYTES = 4 * MiB;

/**
 * UTF-16 units that a screen is saved in with its scrollback, and without; one that takes more is saved with less
 * detail. The shard's other terminals wait about 1 s for 8 MiB, and what is longer seldom packs into a checkpoint.
 */
export const MAX_WHOLE_UNITS = 16 * MiB;
export const MAX_SCREEN_UNITS = 8 * MiB;

/** A shard moves a terminal's checkpoint when this much was parsed since the last one: half the log's bound. */
export const CHECKPOINT_EVERY_BYTES = 512 * KiB;

/** ... or when the terminal has been quiet for this long with anything unsaved. */
export const CHECKPOINT_IDLE_MS = 2_000;

/** A screen that nothing has needed for this long is packed, and its memory freed. */
export const SLEEP_AFTER_MS = 10_000;

/** Memory of a shard's screens; beyond it those sleep that were needed longest ago, save where terminals are at work. */
export const MAX_AWAKE_BYTES = 256 * MiB;

/** How often a thread looks whether it has memory to give back. */
export const MEMORY_LOOK_MS = 2_000;

/** Raw output a shard keeps for `?since=`; older output answers `gap: true`. */
export const HISTORY_BYTES = 256 * KiB;

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

/**
 * Work of one step of a parser beside its bytes, in nanoseconds as reckoned for sequences that do much; one sequence
 * may do up to 20 ms more on a screen of 1000x1000.
 */
export const STEP_WORK_NS = 2_000_000;

/** Links (OSC 8) of a screen, counted once for each row that they are on: about 10 MB; past it the oldest are forgotten. */
export const MAX_LINK_ROWS = 32 * 1024;

/** UTF-16 units of one OSC 8; a longer one is no link. xterm takes 10 million, and half a second for them. */
export const MAX_LINK_SEQUENCE_UNITS = 64 * KiB;

/** UTF-16 units of the URIs and ids of a screen's links. */
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

/** New terminals go by shells that were found this long ago: looking for them takes 1 to 15 ms. */
export const DETECTED_SHELLS_MS = 1_000;

/** Lines of scrollback (setting `terminals.scrollback`). */
export const DEFAULT_SCROLLBACK = 1_000;

/** Every call to a shard or the pty host ends by now, with an error if need be. */
export const CALL_DEADLINE_MS = 10_000;

/**
 * The pty host drops what it has not begun by the deadline of a call; an answer of that moment gets so long to arrive
 * before the call ends.
 */
export const HOST_ANSWER_GRACE_MS = 1_000;

/**
 * The pty host knows again what it has typed under the id of an operation: so many ids of one terminal, so many in all
 * (about 20 MB), and for so long. The oldest go first.
 */
export const MAX_TYPED_ONCE = 1_000;
export const MAX_TYPED_ONCE_IN_ALL = 100_000;
export const TYPED_ONCE_MS = 24 * 3_600_000;

/** A shard that does not answer a heartbeat for this long is taken for hung and replaced. */
export const HEARTBEAT_INTERVAL_MS = 2_000;
export const HEARTBEAT_DEADLINE_MS = 10_000;

/** A scrape of the metrics waits this long for a shard; one that does not answer is reported as down. */
export const SCRAPE_DEADLINE_MS = 1_000;

/** Bytes of a unix socket's path: macOS takes 104, Linux 108, both with the closing NUL. */
export const MAX_SOCKET_PATH_BYTES = 100;

/** Bytes of one frame on the pty host's socket; a longer checkpoint is passed over, any other closes that connection. */
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

/**
 * Files that the pty host leaves free when it refuses another terminal: connections of a service and its shards, and
 * what it reads of processes to end them.
 */
export const RESERVED_FILES = 64;

/** The pty host's log file is emptied at start when it has grown past this. */
export const MAX_HOST_LOG_FILE_BYTES = 1 * MiB;

/** Stretches of output that a shard renders at once for requests: each takes a screen of up to 50 MB. */
export const MAX_RENDERS = 2;

/** What a tmux server is given to end itself and all that is in it, before it is killed. */
export const TMUX_END_DEADLINE_MS = 3_000;

/** tmux has answered a line of commands by now (5 ms each with 300 terminals), or it hangs. */
export const TMUX_COMMAND_DEADLINE_MS = 5_000;

/** Bytes of one answer of tmux (all of a terminal's scrollback with its colours), or of one line. */
export const MAX_TMUX_ANSWER_BYTES = 64 * MiB;

/** A tmux client that has been told to end, or whose pipes are left open by its end, is done with after this. */
export const TMUX_CLIENT_GRACE_MS = 1_000;

/**
 * A shard takes what it is behind by well within this. A tmux server that is not read keeps what its panes print: 20 MB/s
 * at most.
 */
export const TMUX_PAUSE_MS = 250;

/** Within this a program that prints on has filled its PTY, which takes 64 KiB, and sleeps. */
export const TMUX_FREEZE_MS = 50;

/** What a window of tmux is given to close by itself once its program has ended, before it is killed. */
export const TMUX_WINDOW_DEADLINE_MS = 1_000;
