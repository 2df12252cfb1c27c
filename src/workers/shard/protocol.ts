import type { MessagePort } from 'node:worker_threads';
import type { Capture, ExitStatus, OutputPage, Snapshot } from '../../contract/terminal.js';
import type { LoopDelay } from '../loop-delay.js';
import type { CommandMark, CommandPlan } from './taps/command-plan.js';
import type { RecordingEnd, RecordingPlan, RecordingTotals } from './taps/recording-plan.js';

/** What the main thread hands a shard when it starts it. */
export interface ShardOptions {
  /** Where the shard posts {@link StreamMessage}s. */
  stream: MessagePort;
  socketPath: string;
  instanceId: string;
  /** Lines of scrollback of each screen. */
  scrollback: number;
  /** On a disk: where the shard opens a file that has no name. */
  spillFolder: string;
}

/** A form of output frame: as SPEC.md says, or with `event.seq`. */
export type FrameVariant = 'plain' | 'seq';

/** What the main thread posts on the stream: bytes of frames that it has taken. */
export interface StreamAck {
  taken: number;
}

/** Who watches: the variants wanted of every terminal, and those wanted of single ones. */
export interface Interest {
  /** Grows with every change; see `watching`. */
  number: number;
  all: FrameVariant[];
  /** By id; a map, since a client chooses the ids. */
  terminals: ReadonlyMap<string, FrameVariant[]>;
}

/** One output event in each variant that is watched: a WebSocket message with its header, to be written as it is. */
export type OutputFrame = Partial<Record<FrameVariant, ArrayBuffer>>;

/** A terminal of the pty host, as a shard is told to take it in. */
export interface OpenTerminal {
  id: string;
  /** Its number at the pty host. */
  handle: number;
  /**
   * What a new one has printed by then is streamed; of an older one, another shard has streamed it.
   */
  isNew: boolean;
  /** It is being recorded: goes on with that. */
  recording?: RecordingPlan;
  /** Its text goes into the search index, from after `cursor` on where there is one. */
  index?: { cursor?: string };
  /** By which marks its shell tells of commands. */
  commands: CommandPlan;
}

/** How busy a shard is at this moment, and what it has done since its thread began. */
export interface ShardStats {
  /** Bytes read from PTYs, less what is replayed after a restart. */
  outputBytes: number;
  /** Bytes of output that screens have not parsed yet. */
  parseQueueBytes: number;
  /** Bytes of frames that the main thread has not taken yet. */
  streamQueueBytes: number;
  /** Since the call before. */
  loopDelay: LoopDelay;
}

export interface OutputQuery {
  lines?: number;
  offset: number;
  since?: string;
  /** With `since`: lines that have text, in place of the very text. */
  asLines?: boolean;
  /** Bytes of UTF-8: of a longer text the end is kept, from the beginning of a line on. */
  maxBytes?: number;
}

/** A page of output; `truncated` comes where the query has `maxBytes`. */
export interface ReadPage extends OutputPage {
  truncated?: boolean;
}

/** A stretch of output to be given as text, from one cursor up to another. */
export interface StretchQuery {
  start: string;
  /** Up to the present position when absent. */
  end?: string;
  /** Escape sequences and all. */
  raw: boolean;
  /** Of a longer text the end is kept. */
  maxBytes: number;
  /**
   * Also what programs have printed of it, where a shell tells that from its prompts; `withScreen`: and of what was
   * printed before and can still be on the screen.
   */
  programs?: { withScreen: boolean } | undefined;
}

/** What a stretch of output printed. */
export interface StretchText {
  text: string;
  /** What programs printed, each text by itself; absent where it was not asked for, or no shell tells. */
  programs?: string[];
  /** The beginning has gone from the history, or is over `maxBytes`. */
  truncated: boolean;
}

/** What shows on a screen at this moment. */
export interface Look {
  /** Text of each row of the screen, trailing blanks cut. */
  rows: string[];
  /** The same as lines: rows that the terminal wrapped are joined, and blanks that were written are there. */
  shown: string;
  /** As the program has set it; empty when it has not. */
  title: string;
  cursor: string;
  /** Row that the cursor is on, the topmost being 0. */
  cursorRow: number;
  /** Bytes of output parsed. */
  position: number;
  /** Milliseconds since its last output, or since its shard took it in. */
  quietMs: number;
  modes: ScreenModes;
}

/** Modes that keys and pastes depend on. */
interface ScreenModes {
  bracketedPaste: boolean;
  /** Cursor keys send SS3 in place of CSI. */
  applicationCursor: boolean;
  altScreen: boolean;
}

/** What a client waits for in the output of a terminal. */
export type Awaited =
  /** No output for so many milliseconds, counted from the last output, though it came before the call. */
  | { kind: 'idle'; idleMs: number }
  /** The text, in what the screen shows or what is printed from now on, or in what was printed after the cursor. */
  | { kind: 'text'; text: string; since?: string; echo?: boolean }
  /** Any output after this position. */
  | { kind: 'output'; after: number };

/** One of {@link Awaited} has come about. */
export interface Met {
  position: number;
}

/** Text that was typed into a terminal, each write by itself. */
export interface TypedText {
  texts: string[];
  /** Bytes of output that had been read when it was written. */
  position: number;
  /** It is a whole line, which also counts as shown only if it is, where it has but one key. */
  isLine?: boolean;
}

/** ... for the recording of that. */
export interface WrittenText extends TypedText {
  /** Epoch milliseconds. */
  at: number;
  /** The terminal did not echo it. */
  isHidden: boolean;
}

/** What a terminal has printed since a cursor. */
export interface PrintedSince {
  id: string;
  cursor: string;
  raw: string;
  gap: boolean;
  truncated: boolean;
}

/** Calls from the main thread to a shard. They arrive in the order they were made: `open` before the first question. */
export interface ShardApi {
  /** Attaches to a terminal of the pty host and restores its screen. */
  open(terminal: OpenTerminal): void;
  /** Forgets a terminal; questions that wait for it end with `terminal-not-found`. */
  close(id: string): void;
  /** Resolves once the PTY has the size. */
  resize(id: string, cols: number, rows: number): Promise<void>;
  read(id: string, query: OutputQuery): Promise<ReadPage>;
  snapshot(id: string): Promise<Snapshot>;
  capture(id: string, scrollback: boolean): Promise<Capture>;
  /** Throws `invalid-cursor`. Text of a stretch as the program wrote it, empty lines and all. */
  stretch(id: string, query: StretchQuery): Promise<StretchText>;
  look(id: string): Promise<Look>;
  /**
   * Resolves once that is so; rejects with `terminal-not-found` when the terminal is closed, or exits first.
   * `waiter` names the wait, for {@link cancel}, which makes it reject with `unavailable`.
   */
  until(id: string, waiter: number, awaited: Awaited): Promise<Met>;
  cancel(id: string, waiter: number): void;
  /** Of those terminals that have printed since their cursor, null for all that is kept; `invalid` have another's. */
  changes(
    cursors: ReadonlyMap<string, string | null>,
    maxBytes: number,
  ): Promise<{ changes: PrintedSince[]; invalid: string[] }>;
  /** Takes marks of one command that carry this token, beside those of the shell. */
  expectMarks(id: string, token: string): void;
  /** Posts a `resync` message, after which the terminal's frames continue exactly. */
  resync(id: string): Promise<void>;
  /** Records the terminal from its present position on. Resolves once the file is there. */
  record(id: string, plan: RecordingPlan): Promise<void>;
  /** What was typed, for the recording, which takes in what the terminal shows of it. */
  typed(id: string, typed: WrittenText): void;
  /** Whether the terminal has shown what was typed, and did not ask for a secret: by SHOWN_TEXT_MS at the latest. */
  isShown(id: string, typed: TypedText): Promise<boolean>;
  /** Resolves once the recording's file is finished. Rejects with `recording-not-active`, then nobody writes it. */
  stopRecording(id: string): Promise<RecordingTotals>;
  /** Ids of the recordings whose files are being written here, also of terminals that are closed. */
  recordings(): string[];
  watch(interest: Interest): void;
  /** Whether terminals feed the search index at all. */
  feed(isOn: boolean): void;
  /** Has everything printed by now fed to the search index, and then posts a `settled` message. */
  settle(number: number): void;
  /** Answers when the shard's loop turns, with the bytes that it has read from PTYs. */
  ping(): number;
  /** How busy the shard is. */
  stats(): ShardStats;
}

/** What a shard posts on its stream, in the order it happened for each terminal. */
export type StreamMessage =
  /** Output, for those who watch. */
  | ({ type: 'output'; id: string } & OutputFrame)
  /** ESC c and the screen as of here, for those who missed output. */
  | ({ type: 'resync'; id: string } & OutputFrame)
  | { type: 'resized'; id: string; cols: number; rows: number }
  /** After the last output. */
  | { type: 'exited'; id: string; exit: ExitStatus }
  /** Output was dropped: those who watch need a `resync`. */
  | { type: 'interrupted'; id: string }
  /** From here on frames follow this {@link Interest}. */
  | { type: 'watching'; number: number }
  /** Lines for the search index (none: ''), up to `cursor`, and bytes of output that were left out before it. */
  | { type: 'printed'; id: string; content: string; cursor: string; leftOut: number }
  /** What was printed before the `settle` of this number has been posted. */
  | { type: 'settled'; number: number }
  /** A terminal's screen failed on some output and was begun anew: a fault to log, not to hide. */
  | { type: 'fault'; id: string; error: string }
  /** The disk refuses what sleeping terminals hold, which stays in memory. */
  | { type: 'spill-fault'; error: string }
  /** A shell has told of a command or a prompt; in the order of the output. */
  | { type: 'mark'; id: string; mark: CommandMark }
  /** A recording has ended, because it was stopped, its terminal was closed, or it could not go on. */
  | ({ type: 'recorded'; id: string } & RecordingEnd);
