/** Commands, waits, batches and agents. */
import { KiB, MiB } from './units.js';

/** Commands kept of one terminal; the oldest go first. Each is some hundred bytes. */
export const MAX_COMMANDS = 1_000;

/** Commands that `GET /api/terminals/:id/commands` answers when no `limit` is given. */
export const DEFAULT_COMMANDS = 50;

/** Characters of a command line that are kept: what is longer is cut, the program got all of it. */
export const MAX_COMMAND_LINE_CHARS = 16 * KiB;

/** Bytes of one mark of a shell; a longer one is no mark. A command line of 16 Ki characters fits, escaped. */
export const MAX_MARK_BYTES = 128 * KiB;

/** A shell that asks for input without having reported a prompt, quiet for so long, counts as not integrated. */
export const SILENT_SHELL_MS = 1_000;

/** ... where the platform reports nothing of processes and only quiet tells. */
export const SILENT_SHELL_QUIET_MS = 10_000;

/** A line editor that has not taken a run's line, or answered a probe, by then is probed, if it sleeps by then. */
export const LINE_PATIENCE_MS = 500;

/** Probes without an answer, after which the run is given up. */
export const LINE_PROBES = 5;

/** A shell within a shell, of which the processes tell less, has read what was typed by now. */
export const NESTED_READ_MS = 3_000;

/** So often is the key of a run typed where something else reads it, as a search does. */
export const LINE_TRIES = 3;

/** Claims of runs that are kept of a terminal. Each is an empty file. */
export const MAX_CLAIMS = 1_000;

/** Shells within shells whose commands are told apart. */
export const MAX_SHELL_LEVELS = 16;

/** Time a wait or a run takes when the caller does not say, and the most it may take. */
export const DEFAULT_WAIT_MS = 60_000;
export const MAX_WAIT_MS = 3_600_000;

/** SPEC.md, Limits: `timeoutMs` of the fleet is clamped to at least this. */
export const MIN_FLEET_TIMEOUT_MS = 1_000;

/** Output that stays away for this long counts as idle, when the caller does not say. */
export const DEFAULT_IDLE_MS = 500;

/** Waits at once, over all terminals; beyond it requests answer 503. */
export const MAX_WAITS = 20_000;

/** Characters of a text or a regular expression to wait for. */
export const MAX_PATTERN_CHARS = 1_000;

/** One run of a regular expression over what was printed ends by now, and the wait with it. */
export const REGEX_DEADLINE_MS = 1_000;

/** Between two runs of one wait's regular expression, so that a flood is not searched byte by byte. */
export const REGEX_INTERVAL_MS = 20;

/** Bytes of output in one answer (of each terminal, in those of many) when the caller does not say, and at most. */
export const DEFAULT_ANSWER_BYTES = 64 * KiB;
export const MAX_ANSWER_BYTES = 1 * MiB;

/** Bytes of output in one answer over all terminals; those that come after it are `truncated`. */
export const MAX_ANSWERS_BYTES = 64 * MiB;

/** ... or at most a fifth of the time, where a run takes long. */
export const REGEX_REST_SHARE = 4;

/** A regular expression that needs longer than this waits until the others, which do not, have had their turn. */
export const REGEX_SLICE_MS = 50;

/** The thread of regular expressions is ended when a run has not ended by itself so long after its deadline. */
export const REGEX_GRACE_MS = 5_000;

/** Characters of printed text that a regular expression is tried on: about as much as the history holds. */
export const MAX_REGEX_TEXT_CHARS = 256 * KiB;

/** Up to so much of it is rendered anew as a whole each time it is tried, which takes a shard less than 1 ms. */
export const MAX_REGEX_WHOLE_BYTES = 16 * KiB;

/** A line that is ended at a prompt is a background program's once no command has begun for so long: else it was typed. */
export const BACKGROUND_MS = 500;

/** Waits for regular expressions at once: each holds the text that it looks in. */
export const MAX_REGEX_WAITS = 1_000;

/** A shell that has lines typed ahead takes the next of them within so long of its prompt. */
export const TYPE_AHEAD_MS = 250;

/** While somebody waits for a shell to come to the foreground, processes are looked at this often ... */
export const FOREGROUND_LOOK_MS = 100;

/** ... and at most a tenth of the time, since the main thread does it. */
export const FOREGROUND_REST_SHARE = 9;

/**
 * What only processes or a regular expression tell is given so long where a wait asks how it is now. It takes two looks
 * at the processes, or the turn of the expression, which on a busy machine may be a second and more.
 */
export const ASK_NOW_MS = 5_000;

/** A process that was begun so long ago runs its program by now, and not the pty host's any more. */
export const PROGRAM_STARTED_MS = 2_000;

/** A program that a shell runs is typed to once it has shown a prompt for so long: then it does not end by itself soon. */
export const PROGRAM_PROMPT_MS = 1_000;

/** Quiet for so long, with the shell alone in the foreground, says that the end of a command will not be told. */
export const UNTOLD_END_MS = 2_000;

/** A wait whose shard dies goes on with the next; so often, with a pause that grows by this each time. */
export const SHARD_RETRIES = 5;
export const SHARD_RETRY_MS = 50;

/** ... counted anew after a shard that has lived so long: a wait of an hour may see more of them. */
export const SHARD_STEADY_MS = 60_000;

/** A shell that has just shown its prompt gets so long to turn on bracketed paste. */
export const PROMPT_SETTLE_MS = 50;

/** Outputs read at once for the answer of one batch. */
export const MAX_ANSWER_READS = 16;

/** Bytes of output gone through for what a shell said of a command that it did not run, from its end. */
export const MAX_REFUSAL_BYTES = 64 * 1024;

/** Labels of one terminal, and characters of a label's name or value. */
export const MAX_TERMINAL_LABELS = 64;
export const MAX_TERMINAL_LABEL_CHARS = 256;

/** Keys of one request. */
export const MAX_KEYS = 1_000;

/** Requests with an `Idempotency-Key` that are known again: so many, so long, and so much of their answers. */
export const MAX_IDEMPOTENT_REQUESTS = 10_000;
export const IDEMPOTENT_REQUEST_MS = 24 * 3_600_000;
export const MAX_IDEMPOTENT_BYTES = 64 * MiB;

/** Runs kept with their results: so many, so long, and so much of what they printed. The oldest go first. */
export const MAX_RUNS = 1_000;
export const RUN_KEPT_MS = 24 * 3_600_000;
export const MAX_RUNS_BYTES = 256 * MiB;

/** Runs that `GET /api/runs` answers when no `limit` is given. */
export const DEFAULT_RUNS = 50;

/** Finished runs that are held in memory because the disk did not take them. */
export const MAX_UNWRITTEN_RUNS = 20;

/** Who cancels a run waits so long for the ends of the commands that were interrupted. */
export const CANCEL_ANSWER_MS = 2_000;

/** A command of a cancelled run that was typed is looked for so long after the last change in its terminal. */
export const CANCEL_LOOK_MS = 500;

/** Ctrl+C is typed so often for a command that goes on. */
export const CANCEL_TRIES = 4;

/** `execute` is typed also where its shard is too busy to say within this where the output stands. */
export const EXECUTE_CURSOR_MS = 1_000;
export const MAX_IDEMPOTENCY_KEY_CHARS = 256;

/** While somebody follows agents, processes and screens are looked at this often. */
export const AGENT_LOOK_MS = 1_000;

/** Where no rule tells, an agent that has printed within this time is at work. Spinners turn ten times a second. */
export const AGENT_QUIET_MS = 1_500;

/** A look at a screen ends by now: one hung shard does not hold up the list of all processes. */
export const AGENT_LOOK_DEADLINE_MS = 1_000;

/** Screen rules of one agent in the settings, characters of one, and rows that one looks at: they run at each look. */
export const MAX_AGENT_RULES = 50;
export const MAX_AGENT_RULE_CHARS = 256;
export const MAX_AGENT_RULE_ROWS = 50;

/** ... rows when the rule does not say: a dialog and the footer below it. */
export const DEFAULT_AGENT_RULE_ROWS = 12;

/** A longer line is cut by the kernel where a shell has no editor of its own: at 1,024 bytes on macOS, 4,096 on Linux. */
export const MAX_CANONICAL_LINE_BYTES = 1_000;

/** Characters of command lines and folders that are kept of one terminal with its commands; the oldest go first. */
export const MAX_COMMAND_LOG_CHARS = 1 * MiB;

/**
 * What is told of commands is written together, so long after the write before; a crash costs no more than that. With
 * 300 shells that run 5 commands a second each, all of it takes a tenth of the main thread's time.
 */
export const COMMANDS_COMMIT_PAUSE_MS = 5;

/** ... and when that has failed, as on a full disk. */
export const COMMANDS_RETRY_MS = 1_000;

/** Bytes of a failed command's output that are indexed as an error: its end, where errors stand. */
export const MAX_FAILED_OUTPUT_BYTES = 64 * KiB;

/** Failed commands whose output is fetched at once, and that wait for it; beyond them output is left out. */
export const MAX_FAILED_FETCHES = 8;
export const MAX_FAILED_WAITING = 1_000;
