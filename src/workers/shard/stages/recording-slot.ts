import { DomainError } from '../../../contract/errors.js';
import type { TerminalSize } from '../../../contract/terminal.js';
import { RecordingFile, type RecordingProgress } from '../../../store/recording-file.js';
import { unfinishedCharacter } from '../unfinished-character.js';
import { Recorder } from './recorder.js';
import type { RecordingEnd, RecordingPlan, RecordingTotals } from './recording-plan.js';
import { ResizesHere } from './resizes-here.js';

const EMPTY = Buffer.alloc(0);

/** Most bytes of an unfinished UTF-8 character. */
const MAX_UNFINISHED_BYTES = 3;

/** State of a terminal when its recording begins. */
export interface StartPoint {
  terminalId: string;
  /** Position in the terminal's output. */
  position: number;
  size: TerminalSize;
}

export interface RecordingSlotOptions {
  /** Called once for each recording, however it ends, when its file is finished or given up. */
  onEnded: (end: RecordingEnd) => void;
  /** Ids of the recordings whose files are being written; the slot adds and deletes its own. */
  written: Set<string>;
}

/** The recording of one terminal, while there is one. Without a recording, the slot records nothing. */
export class RecordingSlot {
  readonly #options: RecordingSlotOptions;
  #recorder: Recorder | undefined;
  /** Settles once the file of the last recording is finished or given up. */
  #finishing: Promise<unknown> = Promise.resolve();
  /** The unfinished character, at most three bytes, at the end of the output so far. */
  #unfinished: Buffer = EMPTY;
  readonly #resizes = new ResizesHere();
  /** Epoch milliseconds of the program's exit. */
  #exitedAt: number | undefined;

  constructor(options: RecordingSlotOptions) {
    this.#options = options;
  }

  /** Starts a recording. Throws `already-recorded`, `storage-full`, and file system errors. */
  start(plan: RecordingPlan, { terminalId, position, size }: StartPoint): void {
    if (this.#recorder) throw new DomainError('already-recorded');
    const { cols, rows } = size;
    const facts = {
      id: plan.recordingId,
      terminal_id: terminalId,
      start_time: plan.startTime,
      end_time: null,
      metadata: { title: null, shell_type: plan.shellType, initial_size: { cols, rows } },
      size: 0,
      compressed: plan.options.compression === 'gzip',
      event_count: 0,
      options: plan.options,
      version: 1 as const,
    };
    const pending = plan.options.include_output ? this.#unfinished.toString('hex') : '';
    const resizes = this.#resizes.count;
    const begin: RecordingProgress = {
      position,
      pending,
      pending_at: null,
      timestamp: 0,
      cols,
      rows,
      resizes,
    };
    this.#hold(RecordingFile.create(plan.file, facts, begin));
  }

  /** Resumes a recording that another shard or process began. If that is impossible, calls `onEnded`. */
  resume({ recordingId, file }: RecordingPlan): void {
    try {
      const resumed = RecordingFile.resume(file);
      if (resumed) this.#hold(resumed);
      else this.#options.onEnded({ recordingId });
    } catch (error) {
      this.#options.onEnded({ recordingId, fault: describe(error) });
    }
  }

  output(bytes: Uint8Array, end: number): void {
    if (bytes.length > 0) this.#resizes.moved();
    const last = bytes.subarray(-MAX_UNFINISHED_BYTES);
    const tail = last.length < MAX_UNFINISHED_BYTES ? Buffer.concat([this.#unfinished, last]) : last;
    const unfinished = unfinishedCharacter(tail);
    // Copy, so that three bytes do not keep a large buffer alive.
    this.#unfinished = unfinished === 0 ? EMPTY : Buffer.from(tail.subarray(-unfinished));
    this.#recorder?.output(bytes, end);
  }

  /** @param isNew - whether the resize is known not to be a replayed one */
  resized(cols: number, rows: number, position: number, isNew = false): void {
    const number = this.#resizes.add({ cols, rows }, position);
    this.#recorder?.resized({ cols, rows }, position, { number, isNew });
  }

  typed(texts: readonly string[], at: number): void {
    this.#recorder?.typed(texts, at);
  }

  /** See {@link Recorder.mark}. */
  mark(label: string): void {
    this.#recorder?.mark(label);
  }

  /** See {@link Recorder.secret}. */
  secret(at: number, endsLine: boolean): void {
    this.#recorder?.secret(at, endsLine);
  }

  /** Writes everything taken in so far to the file. */
  flush(): void {
    this.#recorder?.flush();
  }

  /** Call before each checkpoint, with which the next replay begins. */
  beforeSave(checkpoint: TerminalSize & { position: number }): void {
    const count = this.#resizes.saved(checkpoint);
    if (count > 0) this.#recorder?.forgotten(count);
    this.flush();
  }

  /** Call when the program has ended, at `exitedAt` (epoch milliseconds): nothing more will come. */
  exited(exitedAt: number): void {
    this.#exitedAt = exitedAt;
  }

  /**
   * Ends the recording and resolves once its file is finished. Rejects with `recording-not-active` when there is none;
   * if an earlier recording is just ending, only once nothing is written to its file.
   */
  async stop(): Promise<RecordingTotals> {
    const recorder = this.#recorder;
    if (!recorder) {
      await this.#finishing;
      throw new DomainError('recording-not-active');
    }
    return this.#finish(recorder);
  }

  /**
   * Ends the recording, if there is one: its end is the program's exit, or this moment if there was no exit. It is marked as
   * cut unless it `isWhole`.
   */
  close(isWhole = true): void {
    if (!isWhole) this.#recorder?.cut();
    // `onEnded` reports the outcome.
    if (this.#recorder) this.#finish(this.#recorder, this.#exitedAt).catch(() => undefined);
  }

  #hold(file: RecordingFile): void {
    const recorder: Recorder = new Recorder(file, () => {
      // Finish after the failed write returns: if a stop has caused that write, the stop finishes the recording.
      queueMicrotask(() => {
        if (this.#recorder === recorder) this.#finish(recorder).catch(() => undefined);
      });
    });
    this.#recorder = recorder;
    this.#options.written.add(recorder.id);
  }

  #finish(recorder: Recorder, exitedAt?: number): Promise<RecordingTotals> {
    this.#recorder = undefined;
    const finished = this.#finishFile(recorder, exitedAt);
    this.#finishing = finished.catch(() => undefined);
    return finished;
  }

  /** Returns the totals of the written events. Reports a failed write, even if it was the last, to `onEnded`. */
  async #finishFile(recorder: Recorder, exitedAt?: number): Promise<RecordingTotals> {
    const { onEnded, written } = this.#options;
    const recordingId = recorder.id;
    try {
      const totals = await recorder.finish(exitedAt);
      onEnded({ recordingId, ...(recorder.fault && { fault: describe(recorder.fault.error) }) });
      return totals;
    } catch (error) {
      onEnded({ recordingId, fault: describe(recorder.fault?.error ?? error) });
      throw error;
    } finally {
      written.delete(recordingId);
    }
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
