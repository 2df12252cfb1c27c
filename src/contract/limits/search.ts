/** The search index and what feeds it. */
import { KiB, MiB } from './units.js';

/** Default of the setting `search.maxBytes`: the bytes that the search index may take on disk. */
export const DEFAULT_SEARCH_BYTES = 1024 * MiB;
/** Least bytes that the setting `search.maxBytes` may grant the search index. */
export const MIN_SEARCH_BYTES = 16 * MiB;
/** Most bytes that the setting `search.maxBytes` may grant the search index. */
export const MAX_SEARCH_BYTES = 1024 * 1024 * MiB;

/** Search hits in an answer when the request gives no number. */
export const DEFAULT_SEARCH_LIMIT = 50;
/** Most search hits that a request may ask for. */
export const MAX_SEARCH_LIMIT = 1_000;

/** Characters (UTF-16 units) of a search query or prefix: far above what a user types. */
export const MAX_SEARCH_QUERY_CHARS = 1_000;

/** Characters of a hit's context before, and after, its first match. */
export const SEARCH_CONTEXT_CHARS = 50;

/** Matches that a hit reports of one document: a query of one letter has a thousand, which nobody looks at. */
export const MAX_SEARCH_MATCHES = 100;

/** Words in one answer of suggestions. */
export const MAX_SUGGESTIONS = 10;
/** Characters of the longest word suggested. */
export const MAX_SUGGESTION_CHARS = 100;

/** Time limit of a search or a suggestion, which then answers 503; a scan of 1 GiB takes well under a second. */
export const SEARCH_DEADLINE_MS = 10_000;

/**
 * How long a search waits, within its deadline, for the newest text to be committed. After that it searches without
 * that text.
 */
export const SEARCH_COMMIT_WAIT_MS = 200;

/** Searches and suggestions that run or wait for their turn; beyond it they answer 503. */
export const MAX_SEARCHES = 32;

/** Searches and suggestions that run at once: an answer of a thousand hits takes 10 MB while it is built. */
export const MAX_RUNNING_SEARCHES = 4;

/** Bytes of one document's text, about a screen; longer texts are split at line ends. A thousand hits are then 5 MB. */
export const MAX_DOCUMENT_BYTES = 4 * KiB;

/**
 * If the clock was ahead by more than this and was put right, new documents follow it, although old text then looks
 * newer.
 */
export const SEARCH_CLOCK_TOLERANCE_MS = 10_000;

/**
 * Bytes of a block of documents, which is read and skipped as a unit. With LMDB's header it fills whole memory pages.
 */
export const SEARCH_BLOCK_BYTES = 64 * KiB - 24;

/** Blocks of the first step of a scan: 8 MiB, about 5 ms. */
export const SCAN_FIRST_BLOCKS = 128;
/** Blocks of each step of a scan after the first: 64 MiB. */
export const SCAN_STEP_BLOCKS = 1_024;

/** Documents are committed this long after they came; a crash loses no more. */
export const SEARCH_COMMIT_MS = 500;

/** Bytes of documents that wait for the disk; beyond it text is left out. */
export const MAX_UNCOMMITTED_SEARCH_BYTES = 16 * MiB;

/**
 * Bytes of text a second that all terminals together may feed to the index, which bounds the main thread's time for it.
 */
export const SEARCH_INTAKE_BYTES_PER_S = 8 * MiB;
/** Bytes of text that all terminals together may feed to the index at once. */
export const SEARCH_INTAKE_BURST_BYTES = 16 * MiB;

/** Characters of one typed line that are indexed; the remainder of a longer line is left out. */
export const MAX_TYPED_LINE_CHARS = 4 * KiB;

/**
 * Bytes of output a second that a terminal may feed to the search index: enough for a build, and a hundredth of a
 * flood. Each byte costs some 20 ns, two thirds of them on the main thread; a flood of 70 MB/s costs 20 ms a second.
 */
export const FEED_BYTES_PER_S = 512 * KiB;
/** Bytes of output that a terminal may feed to the search index at once. */
export const FEED_BURST_BYTES = 2 * MiB;

/**
 * A terminal whose output was left out is fed again once it may feed this much, since a new beginning costs its shard 4
 * ms.
 */
export const FEED_RESUME_BYTES = 1 * MiB;

/** Bytes of output a second that all terminals of a shard together may feed to the search index. */
export const SHARD_FEED_BYTES_PER_S = 1 * MiB;
/**
 * Bytes of output that all terminals of a shard together may feed to the search index in a burst, beyond the rate per
 * second: many terminals that each print little at the same moment need it, too.
 */
export const SHARD_FEED_BURST_BYTES = 8 * MiB;

/** Bytes of SHARD_FEED_BURST_BYTES that floods leave to other terminals, and to the last lines of each flood. */
export const SHARD_FEED_SPARE_BYTES = 1 * MiB;

/** Output that waits in a shard to be rendered for the index, 4 s of a flood; beyond it more is left out. */
export const MAX_FEED_QUEUE_BYTES = 4 * MiB;

/** A terminal's output is fed to the search index once the terminal has been quiet for this long. */
export const FEED_QUIET_MS = 1_000;

/** Output of a terminal that is not quiet is fed at the next line end once this many bytes have gathered. */
export const FEED_STRETCH_BYTES = 128 * KiB;
/** Output of a terminal that is not quiet is fed at the next line end once it has gathered for this long. */
export const FEED_LINE_END_MS = 4_000;

/** Output without a line end is fed once this many bytes have gathered. */
export const MAX_FEED_STRETCH_BYTES = 256 * KiB;
/** Output without a line end is fed once it has gathered for this long. */
export const FEED_DEADLINE_MS = 5_000;

/**
 * How long a stop, or a clearing of the index, waits until earlier output is fed. The last ranges of a flood may be
 * missing.
 */
export const FEED_SETTLE_MS = 1_000;

/**
 * Bytes of an unfinished escape sequence carried over from one fed range to the next. Text of a longer sequence is left
 * out.
 */
export const MAX_FEED_CARRY_BYTES = 64 * KiB;

/**
 * Typed text is kept only if its terminal shows it within this time. A shell shows typed-ahead text only after the
 * running command.
 */
export const SHOWN_TEXT_MS = 10_000;

/** Bytes of output after typed text that are searched for that text, besides the screen. */
export const SHOWN_TEXT_BYTES = 64 * KiB;

/** Pause between two searches for typed text while output comes. */
export const SHOWN_TEXT_PAUSE_MS = 50;

/** Typed texts of one terminal that wait to be shown; beyond it the oldest are not kept. */
export const MAX_UNDECIDED_TEXTS = 256;
