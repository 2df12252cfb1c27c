/** What is kept beside the terminals: store, layout, canvas, processes, recordings, jobs. */
import { KiB, MiB } from './units.js';

/** Threads for exports and search scans; they start when needed and end when idle for this long. */
export const MAX_JOB_THREADS = 2;
export const JOB_IDLE_MS = 30_000;

/**
 * MiB of each job thread's heap for what is young and for the rest: jobs make much garbage and hold little, and what
 * Node grants by itself stays resident. The longest line of a recording takes 16 to 48 MiB to read.
 */
export const JOB_YOUNG_HEAP_MIB = 2;
export const JOB_OLD_HEAP_MIB = 256;

/** Jobs that may wait for a thread; beyond it requests answer 503. */
export const MAX_QUEUED_JOBS = 256;

/**
 * Pixels of a side of a screenshot; larger terminals get smaller cells. Models look at screenshots, and their services
 * refuse larger pictures: Anthropic's those of over 2,000 pixels where there are many, over 8,000 always.
 */
export const MAX_SCREENSHOT_SIDE = 2_000;

/** Screenshots in work or waiting for their turn; beyond it requests answer 503. Each takes some 20 ms, or seconds. */
export const MAX_SCREENSHOTS = 64;

/** Reading the whole store at start ends by now; it holds a few MB, which take 20 ms. */
export const STORE_CHECK_DEADLINE_MS = 30_000;

/**
 * The layout is written whole at each change: 4 ms of the main thread for 4,000 terminals. The next write comes no
 * sooner than so many times that later, but no later than this.
 */
export const LATEST_RECORD_REST_FACTOR = 20;
export const MAX_LATEST_RECORD_REST_MS = 200;

/** Bytes of a record's id; LMDB takes 1,978, and a record set aside has its collection and the time before it. */
export const MAX_STORE_ID_BYTES = 1_500;

/**
 * Pages that a write to LMDB takes beside its values: the path to each from the root, the list of free pages, and what
 * splits. A path is three pages in a store of 100,000 records.
 */
export const STORE_WRITE_PAGES = 8;

/** Pages that only removals may use, so that a full store can be made smaller: four of them. */
export const STORE_SPARE_PAGES = 32;

/** An environment's file is made longer by this much more than is needed: one write in some hundred does it. */
export const STORE_ROOM_STEP_BYTES = 256 * KiB;

/** Bytes behind the pages in use that an environment's file keeps after a large write. */
export const MAX_STORE_SURPLUS_BYTES = 512 * KiB;

/**
 * Bytes of the disk that text for the search index leaves free, so that what is small and worth more can be stored; on
 * a small volume this part of it. It is fed again from so many times that on.
 */
export const DISK_SPARE_BYTES = 64 * MiB;
export const DISK_SPARE_DIVISOR = 8;
export const DISK_RESUME_FACTOR = 1.25;

/** How often free space is looked at: the index takes in 8 MiB a second at most. */
export const DISK_CHECK_MS = 1_000;

/** Recordings, which somebody has asked for, leave free this part of that. */
export const RECORDING_SPARE_DIVISOR = 4;

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

/** Recordings whose terminals are gone are finished by jobs, this many at a time: they read the whole file. */
export const MAX_FINISHED_AT_ONCE = 2;

/** When the service stops, it waits this long for its recordings, of the 5 s in all; the next start does the rest. */
export const RECORDINGS_STOP_DEADLINE_MS = 1_500;

/** A removed terminal's shard is asked after this, and again, whether it still writes the recording. */
export const RECORDING_END_CHECK_MS = 20_000;
