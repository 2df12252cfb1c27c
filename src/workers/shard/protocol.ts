import type { MessagePort } from 'node:worker_threads';
import type { Capture, ExitStatus, OutputPage, Snapshot } from '../../contract/terminal.js';
import type { LoopDelay } from '../loop-delay.js';
import type { RecordingEnd, RecordingPlan, RecordingTotals } from './taps/recording-plan.js';

/** What the main thread hands a shard when it starts it. */
export interface ShardOptions {
  /** Where the shard posts {@link StreamMessage}s. */
  stream: MessagePort;
  socketPath: string;
  instanceId: string;
  /** Lines of scrollback of each screen. */
  scrollback: number;
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

/** One output event, encoded in each variant that is watched. */
export type OutputFrame = Record<FrameVariant, ArrayBuffer | undefined>;

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
}

/**
 * Calls from the main thread to a shard. They arrive in the order they were made, so that `open` comes before
 * the first question.
 */
export interface ShardApi {
  /** Attaches to a terminal of the pty host and restores its screen. */
  open(terminal: OpenTerminal): void;
  /** Forgets a terminal; questions that wait for it end with `terminal-not-found`. */
  close(id: string): void;
  /** Resolves once the PTY has the size. */
  resize(id: string, cols: number, rows: number): Promise<void>;
  read(id: string, query: OutputQuery): Promise<OutputPage>;
  snapshot(id: string): Promise<Snapshot>;
  capture(id: string, scrollback: boolean): Promise<Capture>;
  /** Posts a `resync` message, after which the terminal's frames continue exactly. */
  resync(id: string): Promise<void>;
  /** Records the terminal from its present position on. Resolves once the file is there. */
  record(id: string, plan: RecordingPlan): Promise<void>;
  /** What was typed, for the recording; `at` is epoch milliseconds. */
  typed(id: string, texts: string[], at: number): void;
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
  /** A recording has ended, because it was stopped, its terminal was closed, or it could not go on. */
  | ({ type: 'recorded'; id: string } & RecordingEnd);
