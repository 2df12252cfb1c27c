import type { MessagePort } from 'node:worker_threads';
import type { Capture, ExitStatus, OutputPage, Snapshot } from '../../contract/terminal.js';
import type { LoopDelay } from '../loop-delay.js';
import type { PieceApi } from './piece-query.js';
import type { ScreenRowsApi } from './screen-rows-api.js';
import type { PlaceStatus, ScreenStatus } from './screen-status.js';
import type { SignMessage } from './sign-message.js';
import type { CommandMark, CommandPlan } from './stages/command-plan.js';
import type { RecordingEnd, RecordingPlan, RecordingTotals } from './stages/recording-plan.js';
import type { TapApi } from './taps/tap-api.js';
import type { Searched, WatchApi } from './watches/watch-api.js';

/** Options that the main thread passes to a shard at its start. */
export interface ShardOptions {
  /** The other end of the main thread's port to the shard. */
  port: MessagePort;
  socketPath: string;
  instanceId: string;
  /** Lines of scrollback per screen. */
  scrollback: number;
  /** Folder on a disk, in which the shard opens an unnamed file. */
  spillFolder: string;
}

/** A form of output frame: plain, or with `event.seq`, its end in bytes; `sized` adds the size to screens. */
export type FrameVariant = 'plain' | 'seq' | 'sized';

/** Output that is watched: the variants wanted of every terminal, and the variants wanted of single terminals. */
export interface Interest {
  /** Whether to report that terminals print. */
  activity?: boolean;
  /** Whether to report bells. */
  bells?: boolean;
  all: FrameVariant[];
  /** By terminal id; a map rather than an object, because clients choose the ids. */
  terminals: ReadonlyMap<string, FrameVariant[]>;
}

/** An output event in each watched variant, as a whole WebSocket message. Only a screen has its own `sized` frame. */
export type OutputFrame = Partial<Record<FrameVariant, ArrayBuffer>>;

/** A terminal of the pty host that a shard takes in. */
export interface OpenTerminal extends Searched {
  id: string;
  /** Number of the terminal at the pty host. */
  handle: number;
  /** Whether the terminal is new: its output so far is then streamed too. Otherwise another shard has streamed that. */
  isNew: boolean;
  /** Recording of the terminal that the shard resumes. */
  recording?: RecordingPlan;
  /** Holds the output for the first reader from the start on; see {@link TapApi.tap}. */
  isHeld?: boolean | undefined;
  /** Present if the terminal's text goes into the search index: from `cursor` on, if there is one. */
  index?: { cursor?: string };
  /** How to recognize the marks by which its shell reports commands. */
  commands: CommandPlan;
}

/** Present load of a shard, and its work since its thread began. */
export interface ShardStats {
  /** Bytes read from PTYs, without bytes that are replayed after a restart. */
  outputBytes: number;
  /** Bytes of output that wait to be parsed. */
  parseQueueBytes: number;
  /** Bytes of frames that the main thread has not taken. */
  streamQueueBytes: number;
  /** Delay of the event loop since the previous call. */
  loopDelay: LoopDelay;
}

export interface OutputQuery {
  lines?: number;
  offset: number;
  since?: string;
  /** With `since`: return the non-empty lines instead of the exact text. */
  asLines?: boolean;
  /** Most bytes of UTF-8. Of a longer text the end is kept, if possible from the beginning of a line. */
  maxBytes?: number;
}

/** A page of output; `truncated` is present if the query has `maxBytes`. */
export type ReadPage = OutputPage & { truncated?: boolean };

/** A range of output to return as text, from one cursor to another. */
export interface RangeQuery {
  start: string;
  /** The end of the output if absent. */
  end?: string;
  /** Whether to return the raw output, including escape sequences. */
  raw: boolean;
  /** Most bytes of the text. Of a longer text the end is kept. */
  maxBytes: number;
  /**
   * Return also the texts that programs printed in the range, if a shell reports its prompts. `withScreen` adds texts
   * from before the range, as far as they can still be on the screen.
   */
  programs?: { withScreen: boolean } | undefined;
}

/** Text of a range of output. */
export interface RangeText {
  text: string;
  /** Texts that programs printed; absent if not requested, or if no shell reports its prompts. */
  programs?: string[];
  /** Whether the beginning is missing: the history has dropped it, or the text exceeds `maxBytes`. */
  truncated: boolean;
}

/** Condition that a client waits for in the output of a terminal. */
export type Awaited =
  /** No output for `idleMs` milliseconds, counted from the last output even if that came before the call. */
  | { kind: 'idle'; idleMs: number }
  /** The text, on the screen or in later output, or after cursor `since`. With `echo`, prompts and input count too. */
  | { kind: 'text'; text: string; since?: string; echo?: boolean }
  /** Any output after this position. */
  | { kind: 'output'; after: number };

/** Answer when a condition of {@link Awaited} is met. */
export interface Met {
  position: number;
}

/** Text that was typed into a terminal, one entry per write. */
export interface TypedText {
  texts: string[];
  /** Bytes of output that had been read when the text was written. */
  position: number;
  /** Whether the text is a whole line. Then even a single key counts as shown only once the terminal shows it. */
  isLine?: boolean;
}

/** Typed text with the facts that a recording of it needs. */
export interface WrittenText extends TypedText {
  /** Epoch milliseconds. */
  at: number;
  /** Whether the terminal did not echo it. */
  isHidden: boolean;
}

/** Output of a terminal since a cursor. */
export interface PrintedSince {
  id: string;
  cursor: string;
  raw: string;
  gap: boolean;
  truncated: boolean;
}

/**
 * Calls from the main thread to a shard. They arrive in the order they were made: `open` before the first question.
 * Calls for an unknown terminal throw `terminal-not-found`; `close` and `cancel` ignore it, `changes` leaves it out.
 */
export interface ShardApi extends TapApi, PieceApi, ScreenRowsApi, WatchApi {
  /** Attaches to a terminal of the pty host and restores its screen. */
  open(terminal: OpenTerminal): void;
  /**
   * Forgets a terminal. Questions about it that still wait reject with `terminal-not-found`. Resolves once the shard needs
   * nothing more of it from the pty host, at the latest after CATCH_UP_AT_CLOSE_MS.
   */
  close(id: string): Promise<void>;
  /** Resolves once the PTY has the size. */
  resize(id: string, cols: number, rows: number): Promise<void>;
  read(id: string, query: OutputQuery): Promise<ReadPage>;
  snapshot(id: string): Promise<Snapshot>;
  capture(id: string, scrollback: boolean): Promise<Capture>;
  /** Returns the exact text of a range of output, including empty lines. Throws `invalid-cursor`. */
  rangeText(id: string, query: RangeQuery): Promise<RangeText>;
  /** Like {@link look}, but without the contents of the screen: costs next to nothing, and lets the screen sleep. */
  place(id: string): Promise<PlaceStatus>;
  look(id: string): Promise<ScreenStatus>;
  /**
   * Resolves once the condition is met. Rejects with `terminal-not-found` when the terminal is closed or exits first,
   * and with `unavailable` upon {@link cancel}. `waiter` is a number that no other wait has.
   */
  until(id: string, waiter: number, awaited: Awaited): Promise<Met>;
  cancel(id: string, waiter: number): void;
  /** Returns the output of terminals since their cursor (null: all that is kept); `invalid` lists bad cursors' ids. */
  changes(
    cursors: ReadonlyMap<string, string | null>,
    maxBytes: number,
  ): Promise<{ changes: PrintedSince[]; invalid: string[] }>;
  /** Accepts the marks of one command that carry this token, in addition to the shell's own marks. */
  expectMarks(id: string, token: string): void;
  /** Posts a `resync` message, after which the terminal's frames continue exactly. */
  resync(id: string): Promise<void>;
  /** Records the terminal from its present position on. Resolves once the file exists. */
  record(id: string, plan: RecordingPlan): Promise<void>;
  /** Passes typed text to the recording, which stores it as text only if the terminal shows it. */
  typed(id: string, typed: WrittenText): void;
  /** Marks this moment in the recording, if there is one. */
  mark(id: string, label: string): void;
  /** Returns whether the terminal showed the text within SHOWN_TEXT_MS and had not asked for a secret. */
  isShown(id: string, typed: TypedText): Promise<boolean>;
  /** Resolves once the file is finished. Rejects with `recording-not-active`; by then nothing writes a recording. */
  stopRecording(id: string): Promise<RecordingTotals>;
  /** Returns the ids of the recordings whose files this shard is writing, even of closed terminals. */
  recordings(): string[];
  /** Sets which output is watched. This holds for all frames that are posted after the reply. */
  watch(interest: Interest): void;
  /** Sets whether terminals feed the search index at all. */
  feed(isOn: boolean): void;
  /** Resolves once everything printed so far is posted for the search index. */
  settle(): Promise<void>;
  /** Returns the bytes read from PTYs. Any answer proves that the shard's event loop turns. */
  ping(): number;
  stats(): ShardStats;
}

/** Messages that a shard posts on its stream, for each terminal in the order of the events. */
export type StreamMessage =
  /** Output, for watching clients. */
  | ({ type: 'output'; id: string } & OutputFrame)
  /** ESC c and the screen as of this message, for clients that missed output. */
  | ({ type: 'resync'; id: string } & OutputFrame)
  | { type: 'resized'; id: string; cols: number; rows: number }
  | SignMessage
  /** Comes after the last output. */
  | { type: 'exited'; id: string; exit: ExitStatus }
  /** Output was dropped: watching clients need a `resync`. */
  | { type: 'interrupted'; id: string }
  /**
   * Lines for the search index ('' for none) up to `cursor`, and the bytes of output that were left out before it.
   * `FULL_ROW` follows a line that the next one may continue.
   */
  | { type: 'printed'; id: string; content: string; cursor: string; leftOut: number }
  /** Serving a terminal failed, for example its screen, which then began anew: an error to log, not to hide. */
  | { type: 'fault'; id: string; error: string }
  /** The disk refuses data of sleeping terminals, which then stays in memory. */
  | { type: 'spill-fault'; error: string }
  /** A shell has reported a command or a prompt; in the order of the output. */
  | { type: 'mark'; id: string; mark: CommandMark }
  /** A recording has ended: it was stopped, its terminal was closed, or it failed. */
  | ({ type: 'recorded'; id: string } & RecordingEnd);
