import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import type {
  ActiveRecordings,
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
import type { RecordingPlan } from '../../workers/shard/taps/recording-plan.js';
import type { Terminals } from '../terminals.js';
import { exportSlices, fileSlices } from './export-slices.js';
import { RecordingFinisher } from './recording-finisher.js';
import { RecordingFolder } from './recording-folder.js';
import { totalsOf } from './running-recording.js';
import { RunningRecordings } from './running-recordings.js';

type Slices = AsyncGenerator<Uint8Array, void, void>;

export interface RecordingsOptions {
  /** Of all recordings; it exists. */
  folder: string;
  jobs: Pick<JobPool, 'run'>;
  logger: Logger;
}

/** All recordings: those that run, and those that have been stopped, which are files. */
export class Recordings {
  readonly #folder: RecordingFolder;
  readonly #jobs: Pick<JobPool, 'run'>;
  readonly #running: RunningRecordings;
  readonly #finisher: RecordingFinisher;
  /** Heads of those that are finished. */
  readonly #finished: Map<string, RecordingHead>;
  #cutCount = 0;

  private constructor(
    folder: RecordingFolder,
    options: RecordingsOptions,
    found: Awaited<ReturnType<RecordingFolder['load']>>,
  ) {
    this.#folder = folder;
    this.#jobs = options.jobs;
    this.#finished = new Map(found.finished.map((head) => [head.id, head]));
    const onFinished = (head: RecordingHead) => {
      if (head.truncated && !this.#finished.has(head.id)) this.#cutCount++;
      this.#finished.set(head.id, head);
    };
    const { jobs, logger } = options;
    this.#finisher = new RecordingFinisher({ folder, jobs, logger, onFinished });
    this.#running = new RunningRecordings({ folder, finisher: this.#finisher, logger }, found.running);
  }

  /** Reads what is there. Before the terminals are started, which ask for {@link planOf}. */
  static async load(options: RecordingsOptions): Promise<Recordings> {
    const folder = new RecordingFolder(options.folder, options.logger);
    return new Recordings(folder, options, await folder.load());
  }

  /** What a shard that opens the terminal is to go on with. */
  planOf(terminalId: string): RecordingPlan | undefined {
    return this.#running.planOf(terminalId);
  }

  /** As soon as the terminals have started. */
  follow(terminals: Terminals): void {
    this.#running.follow(terminals);
  }

  /** Finishes all that run, in a bounded time. Before the terminals are closed. */
  stopAll(): Promise<void> {
    return this.#running.stopAll();
  }

  async start(request: StartRecording): Promise<RecordingStarted> {
    const recordingId = await this.#running.start(request);
    return { recordingId, terminalId: request.terminal_id, status: 'recording' };
  }

  /** Throws recording-not-active. One that was cut has ended by itself, which its client may not know: it is answered. */
  async stop(id: string): Promise<RecordingStopped> {
    const cut = await this.#cut(id);
    return { status: 'stopped', ...(cut ? totalsOf(cut) : await this.#running.stop(id)) };
  }

  /** Recordings that could not go on, since the service began. */
  get cutCount(): number {
    return this.#cutCount;
  }

  status(terminalId: string): RecordingStatus {
    const isRecording = this.#running.isRecording(terminalId);
    return { terminalId, isRecording, status: isRecording ? 'recording' : 'not_recording' };
  }

  active(): ActiveRecordings {
    const activeRecordings = this.#running.ids();
    return { activeRecordings, count: activeRecordings.length };
  }

  /** Finished ones, newest first. */
  list(): RecordingSummary[] {
    const newestFirst = (a: RecordingHead, b: RecordingHead) =>
      Date.parse(b.start_time) - Date.parse(a.start_time) || (a.id < b.id ? -1 : 1);
    return [...this.#finished.values()].sort(newestFirst).map(toSummary);
  }

  /** Throws recording-not-found, also for one that still runs. */
  info(id: string): RecordingInfo {
    const head = this.#get(id);
    const { start_time, end_time, compressed, metadata } = head;
    const duration = end_time === null ? null : Date.parse(end_time) - Date.parse(start_time);
    return { ...toSummary(head), compressed, duration, metadata };
  }

  /** The whole recording as JSON, and its bytes. Each slice is valid up to the next. Throws recording-not-found. */
  async read(id: string): Promise<{ json: Slices; bytes: number }> {
    const file = await this.#folder.open(this.#get(id).id);
    const { size: bytes } = await file.stat();
    return { json: fileSlices(file), bytes };
  }

  /** Each slice is valid up to the next. Throws recording-not-found. */
  async export(id: string, format: ExportFormat): Promise<Slices> {
    return exportSlices(this.#jobs, await this.#folder.open(this.#get(id).id), format);
  }

  /** Throws recording-not-found. It is out of the list at once, and back in it when its file cannot be removed. */
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
