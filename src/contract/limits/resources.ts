/** Resources besides terminals: store, layout, canvas, processes, recordings, jobs. */
import { KiB, MiB } from './units.js';

/**
 * MiB of the young generation of each thread that lasts, as V8 counts it: two thirds hold objects, as much as the main
 * thread's flag allows. V8 by itself goes up to 48 with Node 20 and 192 with Node 24, and keeps that while the thread works.
 */
export const THREAD_YOUNG_HEAP_MIB = 24;

/** Threads of a job pool, for exports and search scans; they start when needed. */
export const MAX_JOB_THREADS = 2;
/** A job thread that is idle for this long ends. */
export const JOB_IDLE_MS = 30_000;

/**
 * MiB of each job thread's young generation. Jobs make much garbage and hold little, and Node's larger default would
 * stay resident.
 */
export const JOB_YOUNG_HEAP_MIB = 2;
/** MiB of each job thread's old generation. Reading the longest line of a recording takes 16 to 48 MiB. */
export const JOB_OLD_HEAP_MIB = 256;

/** Jobs that may wait for a thread; beyond it requests answer 503. */
export const MAX_QUEUED_JOBS = 256;

/**
 * Pixels of a side of a screenshot; larger terminals get smaller cells. Models look at screenshots, and their services
 * refuse larger pictures: Anthropic refuses over 2,000 pixels where there are many, over 8,000 always.
 */
export const MAX_SCREENSHOT_SIDE = 2_000;

/**
 * Screenshots in work or waiting for their turn; beyond it requests answer 503. Each takes some 20 ms, and some take
 * seconds.
 */
export const MAX_SCREENSHOTS = 64;

/** Time limit for reading the whole store at start. The store holds a few MB, which take 20 ms. */
export const STORE_CHECK_DEADLINE_MS = 30_000;

/**
 * Pause after a write of the layout, as a multiple of the main thread's time that the write took. The layout is written
 * whole at each change: 4 ms of the main thread for 4,000 terminals.
 */
export const LATEST_RECORD_REST_FACTOR = 20;
/** Longest pause after a write of the layout, see LATEST_RECORD_REST_FACTOR. */
export const MAX_LATEST_RECORD_REST_MS = 200;

/**
 * Bytes of a record's id. LMDB takes 1,978, and a record set aside has its collection and the time in front of its id.
 */
export const MAX_STORE_ID_BYTES = 1_500;

/**
 * Longest time that a write which nobody waits for stays in memory until another write comes, to be committed with it;
 * a crash loses no more than this. Each commit wakes two threads, and syncs the disk.
 */
export const STORE_JOIN_MS = 20;

/**
 * Pages that a write to LMDB takes besides its values: the path from the root to each, the list of free pages, and
 * pages that split. A path is three pages in a store of 100,000 records.
 */
export const STORE_WRITE_PAGES = 8;

/** Pages that only removals may use, so that a full store can be made smaller: enough for four removals. */
export const STORE_SPARE_PAGES = 32;

/**
 * An environment's file grows by this much more than is needed, so that only one write in some hundred has to grow it.
 */
export const STORE_ROOM_STEP_BYTES = 256 * KiB;

/** Bytes behind the pages in use that an environment's file keeps after a large write. */
export const MAX_STORE_SURPLUS_BYTES = 512 * KiB;

/** Bytes of the disk that text for the search index leaves free, for data that is smaller and worth more. */
export const DISK_SPARE_BYTES = 64 * MiB;
/**
 * Divisor of the size of a small volume: text for the search index leaves 1/8 of it free where that is less than
 * DISK_SPARE_BYTES.
 */
export const DISK_SPARE_DIVISOR = 8;
/** The search index is fed again once this many times the space that it must leave is free. */
export const DISK_RESUME_FACTOR = 1.25;

/** How often the free space is checked: the index takes in at most 8 MiB a second. */
export const DISK_CHECK_MS = 1_000;

/**
 * Recordings may use more of the disk than the search index, since a user asked for them: they leave only this fraction
 * (1/4) of its reserve free.
 */
export const RECORDING_SPARE_DIVISOR = 4;

/** Custom profiles kept at once; the list is sent whole. */
export const MAX_CUSTOM_PROFILES = 1_000;

/** Panes of a posted layout, splits included: far above the terminals one machine holds. */
export const MAX_LAYOUT_PANES = 10_000;

/**
 * Splits within splits. A screen cannot show more, and each is a level of recursion in every program that reads the
 * layout.
 */
export const MAX_LAYOUT_DEPTH = 50;

/** If a split would make a pane a smaller fraction of its parent, all siblings get equal sizes instead. */
export const MIN_PANE_FRACTION = 0.001;

/** A pane's size as a client may give it; only its ratio to its siblings matters. */
export const MAX_PANE_SIZE = 1_000_000;

/** Connections on the canvas; beyond it the oldest connections of removed terminals are dropped. */
export const MAX_CONNECTIONS = 10_000;

/** Groups on the canvas: each is a named box, and the graph is sent whole. */
export const MAX_CANVAS_GROUPS = 1_000;

/** Largest distance of a box from the corner of the canvas: a grid of 10,000 terminals is 900,000 high. */
export const MAX_CANVAS_COORDINATE = 1_000_000;

/** Largest width or height of a box on the canvas; it bounds the grid cells that one box covers. */
export const MAX_CANVAS_SIDE = 100_000;

/** Characters of a group's colour: any notation of CSS. */
export const MAX_COLOR_CHARS = 64;

/** Processes read from /proc in one go: about 0.5 ms, after which the thread does other work. */
export const PROCESS_SLICE = 50;

/** How long the command line of a process counts as known, unless it executes another program. */
export const PROCESS_DETAILS_MS = 10_000;

/** Processes of one foreground job that are examined to find an agent, the oldest first. */
export const MAX_AGENT_CANDIDATES = 16;

/** Least time that CPU use is measured over; the clock of /proc ticks every 10 ms. */
export const MIN_CPU_INTERVAL_MS = 200;

/** Time that CPU use is measured over when there is no earlier sample. */
export const CPU_INTERVAL_MS = 250;

/** Same as CPU_INTERVAL_MS, where systeminformation measures: it repeats its last answer within 500 ms. */
export const PORTABLE_CPU_INTERVAL_MS = 600;

/** Age beyond which an earlier sample of CPU use is discarded. */
export const MAX_CPU_INTERVAL_MS = 60_000;

/** Time limit for a tmux command that detects tmux. */
export const TMUX_DEADLINE_MS = 3_000;
/** Time limit for a WSL command that detects tmux: it may have to start a distribution first. */
export const WSL_DEADLINE_MS = 20_000;

/** A recorded event gathers the output of at most this much time, or MAX_FRAME_BYTES. */
export const RECORDING_EVENT_MS = 16;

/** A recorder writes its buffer within this time, so that a power failure of the machine loses no more. */
export const RECORDING_FLUSH_MS = 50;

/** Characters of events after which a recorder writes at once: a write of this size costs well under 1 ms. */
export const RECORDING_BUFFER_CHARS = 256 * KiB;

/**
 * A recording is synced to disk in the background each time this much was written, so that little is left at the stop.
 */
export const RECORDING_SYNC_BYTES = 8 * MiB;

/** Bytes of a recording's head: one memory page, which the kernel writes whole or not at all. */
export const MAX_RECORDING_HEAD_BYTES = 4 * KiB;

/** Bytes of one event's line. Typed text of MAX_PENDING_INPUT_BYTES takes six characters for each control character. */
export const MAX_RECORDING_LINE_BYTES = 16 * MiB;

/** Bytes of a recording that a job reads at a time, in about 1 ms; no more of it is in memory. */
export const RECORDING_SLICE_BYTES = 64 * KiB;

/** Recordings of removed terminals that jobs finish at the same time; each job reads the whole file. */
export const MAX_FINISHED_AT_ONCE = 2;

/**
 * How long a stop of the service waits for its recordings, of the 5 s that a stop may take; the next start finishes the
 * others.
 */
export const RECORDINGS_STOP_DEADLINE_MS = 1_500;

/**
 * How long a closed terminal goes on to live for output that its shard has not taken in yet, as after a restart of the
 * service. Then it ends, and its recording is cut.
 */
export const CATCH_UP_AT_CLOSE_MS = 3_000;

/** How long readers of recordings wait for the end of a recording whose terminal has just gone; its shard may hang. */
export const RECORDING_LEAVE_MS = 5_000;

/** Interval at which a removed terminal's shard is asked whether it still writes the recording. */
export const RECORDING_END_CHECK_MS = 20_000;

/** Milliseconds between two looks for recordings that are not to be kept any longer. */
export const RETENTION_LOOK_MS = 60_000;

/** Most days that the setting `recordings.keepDays` may name: a century. */
export const MAX_KEEP_DAYS = 36_500;

/** Bytes after which the audit log continues in another file; old lines are deleted by whole files. */
export const AUDIT_SEGMENT_BYTES = 8 * MiB;
/** A line of the audit log is on the disk, and so survives a power loss, after at most this long. */
export const AUDIT_SYNC_MS = 1_000;
/** Text that a person types becomes one line of the audit log after this long without a key. */
export const AUDIT_PERSON_MS = 5_000;
/** Characters that a person types after which the line of the audit log ends, even without Enter. */
export const AUDIT_PERSON_CHARS = 4 * KiB;
/** Bytes of audit log that are kept by default. */
export const DEFAULT_AUDIT_BYTES = 256 * MiB;
/** Days for which the audit log is kept by default. */
export const DEFAULT_AUDIT_DAYS = 90;
/** Streams of the audit log at once; beyond it requests answer 503. */
export const MAX_AUDIT_STREAMS = 16;
/** A client that takes nothing of its stream of the audit log for this long is disconnected. */
export const AUDIT_STALL_MS = 60_000;
