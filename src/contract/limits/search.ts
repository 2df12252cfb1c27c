/** The search index and what feeds it. */
import { KiB, MiB } from './units.js';

/** Bytes that the search index may take on disk (setting `search.maxBytes`), and what a setting may ask for. */
export const DEFAULT_SEARCH_BYTES = 1024 * MiB;
export const MIN_SEARCH_BYTES = 16 * MiB;
export const MAX_SEARCH_BYTES = 1024 * 1024 * MiB;

/** Search hits when the request names no number, and what it may ask for (SPEC.md, Limits). */
export const DEFAULT_SEARCH_LIMIT = 50;
export const MAX_SEARCH_LIMIT = 1_000;

/** Characters (UTF-16 units) of a search query or prefix: far above what somebody types. */
export const MAX_SEARCH_QUERY_CHARS = 1_000;

/** Characters of a hit's context before and after its first match (SPEC.md, Limits). */
export const SEARCH_CONTEXT_CHARS = 50;

/** Matches that a hit names of one document: a query of one letter has a thousand, which nobody looks at. */
export const MAX_SEARCH_MATCHES = 100;

/** Words in one answer of suggestions (SPEC.md, Limits), and characters of the longest word suggested. */
export const MAX_SUGGESTIONS = 10;
export const MAX_SUGGESTION_CHARS = 100;

/** A search or a suggestion answers by now, or with 503; a scan of 1 GiB takes well under a second. */
export const SEARCH_DEADLINE_MS = 10_000;

/** Of that, what was taken in last is waited for no longer than this: then the rest is searched without it. */
export const SEARCH_COMMIT_WAIT_MS = 200;

/** Searches and suggestions there may be; beyond it they answer 503. */
export const MAX_SEARCHES = 32;

/** ... and how many of them are worked at: an answer of a thousand hits takes 10 MB while it is put together. */
export const MAX_RUNNING_SEARCHES = 4;

/** Bytes of one document's text, about a screen; longer ones are split at line ends. A thousand hits are 5 MB then. */
export const MAX_DOCUMENT_BYTES = 4 * KiB;

/** A clock that was ahead by more than this and was put right is followed, though old text looks newer then. */
export const SEARCH_CLOCK_TOLERANCE_MS = 10_000;

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

/**
 * Output that a terminal may feed to the search index, in bytes a second and at once: what a build prints, of a flood a
 * hundredth. Each byte costs some 20 ns, two thirds of them on the main thread; a flood of 70 MB/s 20 ms a second.
 */
export const FEED_BYTES_PER_S = 512 * KiB;
export const FEED_BURST_BYTES = 2 * MiB;

/** A terminal of which output was left out is fed again when this much may be: to begin again costs its shard 4 ms. */
export const FEED_RESUME_BYTES = 1 * MiB;

/** All terminals of a shard together; what they may feed at once is also there for many that print little. */
export const SHARD_FEED_BYTES_PER_S = 1 * MiB;
export const SHARD_FEED_BURST_BYTES = 8 * MiB;

/** ... of which floods leave so much to the others, and to the last lines of each. */
export const SHARD_FEED_SPARE_BYTES = 1 * MiB;

/** Output that waits in a shard to be rendered for the index, 4 s of a flood; beyond it more is left out. */
export const MAX_FEED_QUEUE_BYTES = 4 * MiB;

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

/** What is typed is kept once its terminal has shown it, by now; a shell shows what it reads only behind what it runs. */
export const SHOWN_TEXT_MS = 10_000;

/** It is looked for in so much of the output that follows it, and on the screen, ... */
export const SHOWN_TEXT_BYTES = 64 * KiB;

/** ... this often while output comes. */
export const SHOWN_TEXT_PAUSE_MS = 50;

/** Typed texts of one terminal that wait to be shown; beyond it the oldest are not kept. */
export const MAX_UNDECIDED_TEXTS = 256;
