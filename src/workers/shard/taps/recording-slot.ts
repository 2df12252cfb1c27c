import { DomainError } from '../../../contract/errors.js';
import type { TerminalSize } from '../../../contract/terminal.js';
import { type Progress, RecordingFile } from '../../../store/recording-file.js';
import { unfinishedCharacter } from '../frames.js';
import { Recorder } from './recorder.js';
import type { RecordingEnd, RecordingPlan, RecordingTotals } from './recording-plan.js';

const EMPTY = Buffer.alloc(0);

/** Of UTF-8, the beginning of a character. */
const MAX_UNFINISHED_BYTES = 3;

/** Where a terminal stands when its recording begins. */
export interface StartPoint {
  terminalId: string;
  /** Of its output. */
  position: number;
  size: TerminalSize;
}

export interface RecordingSlotOptions {
  /** Called once for each recording, however it ends, when its file is finished or given up. */
  onEnded: (end: RecordingEnd) => void;
  /** Ids of the recordings whose files are being written: the slot keeps its own there. */
  written: Set<string>;
}

/** The recording of one terminal, while there is one. What is given to it without one goes nowhere. */
export class RecordingSlot {
  readonly #options: RecordingSlotOptions;
  #recorder: Recorder | undefined;
  /** Of the last one: settles once its file is finished or given up. */
  #finishing: Promise<unknown> = Promise.resolve();
  /** The beginning of a character, at most three bytes, with which the output ends by now. */
  #unfinished: Buffer = EMPTY;
  /** Epoch milliseconds. */
  #exitedAt: number | undefined;

  constructor(options: RecordingSlotOptions) {
    this.#options = options;
  }

  /** Throws what the file system says when the file cannot be made. */
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
    const begin: Progress = { position, pending, timestamp: 0, cols, rows };
    this.#hold(RecordingFile.create(plan.file, facts, begin));
  }

  /** Goes on with a recording that another shard or another service has begun. */
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
    const last = bytes.subarray(-MAX_UNFINISHED_BYTES);
    const tail = last.length < MAX_UNFINISHED_BYTES ? Buffer.concat([this.#unfinished, last]) : last;
    const unfinished = unfinishedCharacter(tail);
    // A copy, so that three bytes do not keep a large buffer alive.
    this.#unfinished = unfinished === 0 ? EMPTY : Buffer.from(tail.subarray(-unfinished));
    this.#recorder?.output(bytes, end);
  }

  resized(cols: number, rows: number, position: number): void {
    this.#recorder?.resized(cols, rows, position);
  }

  typed(texts: readonly string[], at: number): void {
    this.#recorder?.typed(texts, at);
  }

  /** See {@link Recorder.secret}. */
  secret(at: number, endsLine: boolean): void {
    this.#recorder?.secret(at, endsLine);
  }

  /** Afterwards the file holds all that was taken in. */
  flush(): void {
    this.#recorder?.flush();
  }

  /** The program has ended, at `exitedAt` (epoch milliseconds): nothing more will come. */
  exited(exitedAt: number): void {
    this.#exitedAt = exitedAt;
  }

  /**
   * Ends the recording and resolves once its file is finished. Rejects with `recording-not-active` when there is
   * none, and once nothing is written any more of one that ends by itself.
   */
  async stop(): Promise<RecordingTotals> {
    const recorder = this.#recorder;
    if (!recorder) {
      await this.#finishing;
      throw new DomainError('recording-not-active');
    }
    return this.#finish(recorder);
  }

  /** Ends the recording, if there is one, with what it has: it lasted until the program's exit, or until now. */
  close(): void {
    // How it went is told to `onEnded`.
    if (this.#recorder) this.#finish(this.#recorder, this.#exitedAt).catch(() => undefined);
  }

  #hold(file: RecordingFile): void {
    const recorder: Recorder = new Recorder(file, () => {
      // Not from within the write that has failed: a stop that has caused it comes first.
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

  /** A write that has failed, be it the last one, is told of; what was written before is answered. */
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
