import { DomainError } from '../../../contract/errors.js';
import type { TerminalSize } from '../../../contract/terminal.js';
import { type Progress, RecordingFile } from '../../../store/recording-file.js';
import { Recorder } from './recorder.js';
import type { RecordingEnd, RecordingPlan, RecordingTotals } from './recording-plan.js';

/** Where a terminal stands when its recording begins. */
export interface StartPoint {
  terminalId: string;
  /** Of its output. */
  position: number;
  /** The beginning of a character just before that position. */
  unfinished: Uint8Array;
  size: TerminalSize;
}

/** The recording of one terminal, while there is one. What is given to it without one goes nowhere. */
export class RecordingSlot {
  readonly #onEnded: (end: RecordingEnd) => void;
  #recorder: Recorder | undefined;

  /** @param onEnded - called once for each recording, however it ends, when its file is finished or given up */
  constructor(onEnded: (end: RecordingEnd) => void) {
    this.#onEnded = onEnded;
  }

  /** Throws what the file system says when the file cannot be made. */
  start(plan: RecordingPlan, { terminalId, position, unfinished, size }: StartPoint): void {
    if (this.#recorder) throw new DomainError('already-recorded');
    const { cols, rows } = size;
    const facts = {
      id: plan.recordingId,
      terminal_id: terminalId,
      start_time: new Date().toISOString(),
      end_time: null,
      metadata: { title: null, shell_type: plan.shellType, initial_size: { cols, rows } },
      size: 0,
      compressed: plan.options.compression === 'gzip',
      event_count: 0,
      options: plan.options,
      version: 1 as const,
    };
    const pending = Buffer.from(unfinished).toString('hex');
    const begin: Progress = { position, pending, timestamp: 0, cols, rows };
    this.#hold(RecordingFile.create(plan.file, facts, begin));
  }

  /** Goes on with a recording that another shard or another service has begun. */
  resume({ recordingId, file }: RecordingPlan): void {
    try {
      const resumed = RecordingFile.resume(file);
      if (resumed) this.#hold(resumed);
      else this.#onEnded({ recordingId });
    } catch (error) {
      this.#onEnded({ recordingId, fault: describe(error) });
    }
  }

  output(bytes: Uint8Array, end: number): void {
    this.#recorder?.output(bytes, end);
  }

  resized(cols: number, rows: number, position: number): void {
    this.#recorder?.resized(cols, rows, position);
  }

  typed(texts: readonly string[], at: number): void {
    this.#recorder?.typed(texts, at);
  }

  /** Afterwards the file holds all that was taken in. */
  flush(): void {
    this.#recorder?.flush();
  }

  /** Ends the recording and resolves once its file is finished. Rejects with `recording-not-active`. */
  async stop(): Promise<RecordingTotals> {
    const recorder = this.#recorder;
    if (!recorder) throw new DomainError('recording-not-active');
    return this.#finish(recorder);
  }

  /** Ends the recording, if there is one, with what it has. */
  close(): void {
    // How it went is told to `onEnded`.
    if (this.#recorder) this.#finish(this.#recorder).catch(() => undefined);
  }

  #hold(file: RecordingFile): void {
    const recorder: Recorder = new Recorder(file, (error) => {
      // Not from within the write that has failed: a stop that has caused it comes first.
      queueMicrotask(() => {
        if (this.#recorder === recorder) this.#finish(recorder, error).catch(() => undefined);
      });
    });
    this.#recorder = recorder;
  }

  async #finish(recorder: Recorder, fault?: unknown): Promise<RecordingTotals> {
    const recordingId = recorder.id;
    this.#recorder = undefined;
    try {
      const totals = await recorder.finish();
      this.#onEnded({ recordingId, ...(fault === undefined ? {} : { fault: describe(fault) }) });
      return totals;
    } catch (error) {
      this.#onEnded({ recordingId, fault: describe(fault ?? error) });
      throw error;
    }
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
