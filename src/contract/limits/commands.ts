/** Commands, waits and batches. */
import { CALL_DEADLINE_MS } from './engine.js';
import { KiB, MiB } from './units.js';

/** Commands kept of one terminal; the oldest go first. Each takes some hundred bytes. */
export const MAX_COMMANDS = 1_000;

/** Commands that `GET /api/terminals/:id/commands` returns when the request gives no `limit`. */
export const DEFAULT_COMMANDS = 50;

/** Characters kept of a command line. A longer line is cut in the record; the program got all of it. */
export const MAX_COMMAND_LINE_CHARS = 16 * KiB;

/**
 * Bytes of one shell mark; a longer sequence is not taken as a mark. An escaped command line of 16 Ki characters fits.
 */
export const MAX_MARK_BYTES = 128 * KiB;

/** A shell that asks for input, has reported no prompt, and is quiet for this long counts as not integrated. */
export const SILENT_SHELL_MS = 1_000;

/** Same as SILENT_SHELL_MS, for platforms that report nothing about processes, where only quiet can decide. */
export const SILENT_SHELL_QUIET_MS = 10_000;

/** If a line editor has not taken a run's line, or answered a probe, within this time, it is probed once it sleeps. */
export const LINE_PATIENCE_MS = 500;

/** Number of unanswered probes after which a run is given up. */
export const LINE_PROBES = 5;

/** Time after which a shell within a shell that sleeps counts as having read its typed input: it reveals less. */
export const NESTED_READ_MS = 3_000;

/** Times that the key of a run is typed when something else reads it, such as a search. */
export const LINE_TRIES = 3;

/** Times that a run types its command, or a key, under the same operation id while the pty host does not answer. */
export const TYPING_TRIES = 4;

/** Claims of runs kept for one terminal. Each is an empty file. */
export const MAX_CLAIMS = 1_000;

/** Nested shells (shells within shells) whose commands are tracked separately. */
export const MAX_SHELL_LEVELS = 16;

/** Time limit of a wait or a run when the caller gives none. */
export const DEFAULT_WAIT_MS = 60_000;
/** Longest time limit of a wait or a run. */
export const MAX_WAIT_MS = 3_600_000;

/** Lower bound that `timeoutMs` of a fleet command is clamped to. */
export const MIN_FLEET_TIMEOUT_MS = 1_000;

/** Time without output that counts as idle when the caller gives none. */
export const DEFAULT_IDLE_MS = 500;

/** Waits at once over all terminals; beyond it requests answer 503. */
export const MAX_WAITS = 20_000;

/** Characters of a text or a regular expression to wait for. */
export const MAX_PATTERN_CHARS = 1_000;

/** Processor time of one run of a regular expression over the printed text; a run that takes more ends the wait, too. */
export const REGEX_DEADLINE_MS = 1_000;

/** Least pause between two runs of one wait's regular expression, so that a flood is not searched byte by byte. */
export const REGEX_INTERVAL_MS = 20;

/** Bytes of output in one answer, or per terminal in an answer about many, when the caller gives no limit. */
export const DEFAULT_ANSWER_BYTES = 64 * KiB;
/** Most bytes of output in one answer, or per terminal in an answer about many. */
export const MAX_ANSWER_BYTES = 1 * MiB;

/** Bytes of output in one answer over all its terminals; outputs beyond it are marked `truncated`. */
export const MAX_ANSWERS_BYTES = 64 * MiB;

/**
 * Least pause between two runs of one wait's regular expression, as a multiple of the time of the earlier run: slow
 * patterns then run at most a fifth of the time.
 */
export const REGEX_REST_SHARE = 4;

/** A regular expression that needs longer than this waits until the quicker ones have had their turn. */
export const REGEX_SLICE_MS = 50;

/** How long after its deadline a run of a regular expression may still end by itself, before its thread is ended. */
export const REGEX_GRACE_MS = 5_000;

/** Characters of printed text that a regular expression is tried on: about as much as the history holds. */
export const MAX_REGEX_TEXT_CHARS = 256 * KiB;

/**
 * Up to this many bytes, the text for a regular expression is rendered again as a whole for each try, which takes a
 * shard less than 1 ms. Beyond it, only the new output is rendered.
 */
export const MAX_REGEX_WHOLE_BYTES = 16 * KiB;

/**
 * A complete line printed at a prompt counts as a background program's once nothing has been printed for this long.
 * Before that, it may be a typed line whose command has not begun yet.
 */
export const BACKGROUND_MS = 500;

/** Waits for regular expressions at once; each holds the text that it searches. */
export const MAX_REGEX_WAITS = 1_000;

/** Time in which a shell with typed-ahead lines takes the next one after its prompt, or reacts to Ctrl+C. */
export const TYPE_AHEAD_MS = 250;

/** Interval between looks at the processes while a client waits for a shell to come to the foreground. */
export const FOREGROUND_LOOK_MS = 100;

/**
 * Least pause between two looks at the processes, as a multiple of the time of the earlier look: looks then take at
 * most a tenth of the main thread's time.
 */
export const FOREGROUND_REST_SHARE = 9;

/**
 * Time limit of a wait for the present state (`timeoutMs` 0) that depends on processes or on a regular expression. Two
 * looks at the processes, or the expression's turn, may take a second or more on a busy machine.
 */
export const ASK_NOW_MS = 5_000;

/** Age from which a terminal's process is sure to run its own program, and not still the pty host's code. */
export const PROGRAM_STARTED_MS = 2_000;

/**
 * A program that a shell runs is typed to once it has shown a prompt for this long, since it will then not end by
 * itself soon.
 */
export const PROGRAM_PROMPT_MS = 1_000;

/**
 * If a terminal is quiet for this long with only the shell in the foreground, the command's end will not be reported.
 */
export const UNTOLD_END_MS = 2_000;

/** Times in a row that a wait is repeated on the next shard when its shard dies. */
export const SHARD_RETRIES = 5;
/** Pause before a wait is repeated on the next shard, in milliseconds times the number of failures in a row. */
export const SHARD_RETRY_MS = 50;

/**
 * A call to a shard that lasted this long resets the count of SHARD_RETRIES. So a call that was given up at its deadline
 * does not count: beside hundreds of starting shells, a healthy shard may be too slow many times in a row.
 */
export const SHARD_STEADY_MS = CALL_DEADLINE_MS / 2;

/** Time a shell gets to turn on bracketed paste after it has shown its prompt. */
export const PROMPT_SETTLE_MS = 50;

/** Outputs read at once for the answer of one batch. */
export const MAX_ANSWER_READS = 16;

/** Bytes at the end of the output that are searched for the shell's message about a command that it did not run. */
export const MAX_REFUSAL_BYTES = 64 * 1024;

/** Labels of one terminal. */
export const MAX_TERMINAL_LABELS = 64;
/** Characters of the name or the value of a terminal's label. */
export const MAX_TERMINAL_LABEL_CHARS = 256;

/** Keys in one request. */
export const MAX_KEYS = 1_000;

/** Requests with an `Idempotency-Key` that are remembered, so that a repetition has no second effect. */
export const MAX_IDEMPOTENT_REQUESTS = 10_000;
/** How long a request with an `Idempotency-Key` is remembered. */
export const IDEMPOTENT_REQUEST_MS = 24 * 3_600_000;
/** Bytes of the operations whose keys the store does not have yet. Beyond them, a request waits for the store. */
export const MAX_OPERATIONS_JOURNAL_BYTES = MiB;
/** Bytes of the remembered answers to requests with an `Idempotency-Key`. */
export const MAX_IDEMPOTENT_BYTES = 64 * MiB;

/** Runs kept with their results; the oldest go first. */
export const MAX_RUNS = 1_000;
/** How long a run is kept with its results. */
export const RUN_KEPT_MS = 24 * 3_600_000;
/** Bytes of the output in the results of all kept runs; the oldest go first. */
export const MAX_RUNS_BYTES = 256 * MiB;

/** Runs that `GET /api/runs` returns when the request gives no `limit`. */
export const DEFAULT_RUNS = 50;

/** Finished runs held in memory because they could not be written to disk. */
export const MAX_UNWRITTEN_RUNS = 20;

/** How long the cancellation of a run waits for the interrupted commands to end before it answers. */
export const CANCEL_ANSWER_MS = 2_000;

/**
 * Time without a change in the terminal after which the cancellation of a typed command stops watching for the command.
 */
export const CANCEL_LOOK_MS = 500;

/** Times that Ctrl+C is typed for a command that keeps running. */
export const CANCEL_TRIES = 4;

/** How long `execute` waits for the shard to report the output position; it then types without the position. */
export const EXECUTE_CURSOR_MS = 1_000;
/** Characters of an `Idempotency-Key`. */
export const MAX_IDEMPOTENCY_KEY_CHARS = 256;

/**
 * Bytes of a line typed into a shell without a line editor; the kernel cuts longer lines, at 1,024 bytes on macOS and
 * 4,096 on Linux.
 */
export const MAX_CANONICAL_LINE_BYTES = 1_000;

/** Characters of command lines and folders kept with the commands of one terminal; the oldest go first. */
export const MAX_COMMAND_LOG_CHARS = 1 * MiB;

/**
 * Pause between two writes of reported commands, which gathers them; a crash loses no more than this and STORE_JOIN_MS.
 * With 300 shells that run 5 commands a second each, all this work takes a tenth of the main thread's time.
 */
export const COMMANDS_COMMIT_PAUSE_MS = 5;

/** Pause before commands are written again after a failed write, as on a full disk. */
export const COMMANDS_RETRY_MS = 1_000;

/** Bytes at the end of a failed command's output that are indexed as an error; errors are printed at the end. */
export const MAX_FAILED_OUTPUT_BYTES = 64 * KiB;

/** Failed commands whose output is fetched at once. */
export const MAX_FAILED_FETCHES = 8;
/** Failed commands that wait for their output to be fetched; beyond it, output is left out of the index. */
export const MAX_FAILED_WAITING = 1_000;
