import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import type {
  ActiveRecording,
  ActiveRecordings,
  ActiveRecordingsQuery,
  ExportFormat,
  RecordingInfo,
  RecordingStarted,
  RecordingStatus,
  RecordingStopped,
  RecordingSummary,
  StartRecording,
} from '../../contract/recording.js';
import type { RecordingHead } from '../../store/recording-head.js';
import type { JobPool } from '../../workers/jobs/pool.js';
import type { RedactionPlan } from '../../workers/redaction/secret-finder.js';
import type { RecordingPlan } from '../../workers/shard/stages/recording-plan.js';
import type { Terminals } from '../terminals.js';
import { exportSlices, fileSlices } from './export-slices.js';
import { RecordingFinisher } from './recording-finisher.js';
import { RecordingFolder } from './recording-folder.js';
import { totalsOf } from './running-recording.js';
import { type RecordingChange, RunningRecordings } from './running-recordings.js';

type Slices = AsyncGenerator<Uint8Array, void, void>;

export interface RecordingsOptions {
  /** Existing folder of all recordings. */
  folder: string;
  jobs: Pick<JobPool, 'run'>;
  /** Returns how the secrets of a terminal are found. */
  redactionOf: (terminalId: string) => Promise<RedactionPlan>;
  logger: Logger;
}

/** All recordings: the running ones, and the finished ones, which are files. */
export class Recordings {
  readonly #folder: RecordingFolder;
  readonly #jobs: Pick<JobPool, 'run'>;
  readonly #redactionOf: RecordingsOptions['redactionOf'];
  readonly #running: RunningRecordings;
  readonly #finisher: RecordingFinisher;
  /** Heads of the finished recordings, by id. */
  readonly #finished: Map<string, RecordingHead>;
  #cutCount = 0;
  #onChanged: (change: RecordingChange) => void = () => undefined;

  private constructor(
    folder: RecordingFolder,
    options: RecordingsOptions,
    found: Awaited<ReturnType<RecordingFolder['load']>>,
  ) {
    this.#folder = folder;
    this.#jobs = options.jobs;
    this.#redactionOf = options.redactionOf;
    this.#finished = new Map(found.finished.map((head) => [head.id, head]));
    const onFinished = (head: RecordingHead) => {
      if (head.truncated && !this.#finished.has(head.id)) this.#cutCount++;
      this.#finished.set(head.id, head);
    };
    const { jobs, logger } = options;
    this.#finisher = new RecordingFinisher({ folder, jobs, logger, onFinished });
    const onChanged = (change: RecordingChange) => this.#onChanged(change);
    this.#running = new RunningRecordings(
      { folder, finisher: this.#finisher, logger, onChanged },
      found.running,
    );
  }

  /** Reads the recordings on the disk. Call this before the terminals start, since they need {@link planOf}. */
  static async load(options: RecordingsOptions): Promise<Recordings> {
    const folder = new RecordingFolder(options.folder, options.logger);
    return new Recordings(folder, options, await folder.load());
  }

  /** Returns the recording that a shard continues when it opens the terminal. */
  planOf(terminalId: string): RecordingPlan | undefined {
    return this.#running.planOf(terminalId);
  }

  /** Follows the terminals. Call this as soon as they have started. */
  follow(terminals: Terminals): void {
    this.#running.follow(terminals);
  }

  /** Sets the listener for recordings that begin and end. */
  onChanged(listener: (change: RecordingChange) => void): void {
    this.#onChanged = listener;
  }

  /** The recordings that run. */
  running(): RecordingChange[] {
    return this.#running.list();
  }

  /** Whether the recording neither runs nor is being finished. */
  isOver(id: string): boolean {
    return !this.#running.isRunning(id) && !this.#finisher.isFinishing(id);
  }

  /** Finishes all running recordings, in a bounded time. Call this before the terminals are closed. */
  stopAll(): Promise<void> {
    return this.#running.stopAll();
  }

  async start(request: StartRecording): Promise<RecordingStarted> {
    const recordingId = await this.#running.start(request);
    return { recordingId, terminalId: request.terminal_id, status: 'recording' };
  }

  /**
   * Stops a recording. One that was cut has ended by itself, which its client may not know, so this returns its totals.
   * Throws recording-not-active.
   */
  async stop(id: string): Promise<RecordingStopped> {
    const cut = await this.#cut(id);
    return { status: 'stopped', ...(cut ? totalsOf(cut) : await this.#running.stop(id)) };
  }

  /** Number of recordings that were cut short since the service started. */
  get cutCount(): number {
    return this.#cutCount;
  }

  status(terminalId: string): RecordingStatus {
    const recordingId = this.#running.activeOf(terminalId)?.recordingId;
    if (recordingId === undefined) return { terminalId, isRecording: false, status: 'not_recording' };
    return { terminalId, isRecording: true, status: 'recording', recordingId };
  }

  async active({ view }: ActiveRecordingsQuery): Promise<ActiveRecordings> {
    const plans = this.#running.active();
    const activeRecordings = plans.map(({ recordingId }) => recordingId);
    const answer = { activeRecordings, count: activeRecordings.length };
    if (view === 'ids') return answer;
    const heads = await this.#folder.readRunning(activeRecordings);
    const recordings = plans.map(({ recordingId: id, terminalId, startTime }): ActiveRecording => {
      const { size = null, event_count: eventCount = null } = heads.get(id) ?? {};
      return { id, terminalId, startTime, size, eventCount };
    });
    return { ...answer, recordings };
  }

  /** The heads of the finished recordings. */
  finished(): Iterable<RecordingHead> {
    return this.#finished.values();
  }

  /**
   * Resolves once the recording with this id, or without one every recording, that has ended is finished or could not
   * be. Between the end of its terminal and then a recording is neither active nor listed, so that a reader waits here
   * first; for a shard that hangs not longer than RECORDING_LEAVE_MS.
   */
  async settled(id?: string): Promise<void> {
    await this.#running.settled(id);
    await (id === undefined ? this.#finisher.idle() : this.#finisher.finishing(id));
  }

  /** Returns the finished recordings, newest first. */
  list(): RecordingSummary[] {
    const newestFirst = (a: RecordingHead, b: RecordingHead) =>
      Date.parse(b.start_time) - Date.parse(a.start_time) || (a.id < b.id ? -1 : 1);
    return [...this.#finished.values()].sort(newestFirst).map(toSummary);
  }

  /** Returns the facts of a finished recording. Throws recording-not-found, also for a recording that still runs. */
  info(id: string): RecordingInfo {
    const head = this.#get(id);
    const { start_time, end_time, compressed, metadata } = head;
    const duration = end_time === null ? null : Date.parse(end_time) - Date.parse(start_time);
    return { ...toSummary(head), compressed, duration, metadata };
  }

  /**
   * Returns the whole recording as JSON, and its size in bytes. Each slice is valid up to the next. Throws
   * recording-not-found.
   */
  async read(id: string): Promise<{ json: Slices; bytes: number }> {
    const file = await this.#folder.open(this.#get(id).id);
    const { size: bytes } = await file.stat();
    return { json: fileSlices(file), bytes };
  }

  /**
   * Returns a finished recording in another format, without secrets if `isRedacted`. Each slice is valid up to the
   * next. Throws recording-not-found.
   */
  async export(id: string, format: ExportFormat, isRedacted: boolean): Promise<Slices> {
    const { terminal_id: terminalId } = this.#get(id);
    const redaction = isRedacted ? await this.#redactionOf(terminalId) : undefined;
    return exportSlices(this.#jobs, await this.#folder.open(this.#get(id).id), format, redaction);
  }

  /** Returns the terminal of a recording that runs or is finished. */
  terminalOf(id: string): string | undefined {
    const running = this.#running.plans().find(({ recordingId }) => recordingId === id);
    return running?.terminalId ?? this.#finished.get(id)?.terminal_id;
  }

  /** Returns the ids of the terminals that there are recordings of, running or finished. */
  terminalIds(): string[] {
    const running = this.#running.plans().map(({ terminalId }) => terminalId);
    return [...running, ...[...this.#finished.values()].map((head) => head.terminal_id)];
  }

  /**
   * Deletes a recording. It leaves the list at once, and returns to it if its file cannot be removed. Throws
   * recording-not-found.
   */
  async delete(id: string): Promise<void> {
    const head = this.#get(id);
    this.#finished.delete(id);
    try {
      await this.#folder.remove(id);
    } catch (error) {
      this.#finished.set(id, head);
      throw error;
    }
  }

  async #cut(id: string): Promise<RecordingHead | undefined> {
    const head = this.#finished.get(id) ?? (await this.#finisher.finishing(id));
    return head?.truncated && head;
  }

  #get(id: string): RecordingHead {
    const head = this.#finished.get(id);
    if (!head) throw new DomainError('recording-not-found');
    return head;
  }
}

function toSummary(head: RecordingHead): RecordingSummary {
  const { id, terminal_id: terminalId, start_time: startTime, end_time: endTime } = head;
  const { size, event_count: eventCount, truncated } = head;
  return { id, terminalId, startTime, endTime, size, eventCount, ...(truncated && { truncated }) };
}
