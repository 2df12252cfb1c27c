import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import { RECORDINGS_STOP_DEADLINE_MS } from '../../contract/limits.js';
import type { StartRecording } from '../../contract/recording.js';
import type { RecordingHead } from '../../store/recording-head.js';
import type { RecordingPlan, RecordingTotals } from '../../workers/shard/stages/recording-plan.js';
import type { EngineEvent } from '../events.js';
import { LeavingRecordings } from './leaving-recordings.js';
import type { RecordingFinisher } from './recording-finisher.js';
import { type RecordedTerminals, type RecordingSurroundings, RunningRecording } from './running-recording.js';

export interface RunningRecordingsOptions {
  folder: RecordingSurroundings['folder'];
  finisher: RecordingFinisher;
  logger: Logger;
  /** Called when a client's recording has begun, and when one has ended. */
  onChanged: (change: RecordingChange) => void;
}

/** A recording that has begun, or has ended; `truncated`: it was cut short. */
export interface RecordingChange {
  kind: 'started' | 'stopped';
  recordingId: string;
  terminalId: string;
  truncated?: boolean | undefined;
}

/**
 * The running recordings, at most one for each terminal. This is the authority on which exist, so that a new shard or a
 * new service process continues them, or ends them when their terminal is gone.
 */
export class RunningRecordings {
  readonly #options: RunningRecordingsOptions;
  readonly #around: RecordingSurroundings;
  /** By terminal id. */
  readonly #running = new Map<string, RunningRecording>();
  readonly #orphans: RunningRecording[] = [];
  readonly #leaving = new LeavingRecordings();
  #terminals!: RecordedTerminals;
  #lastStart = 0;
  #isStopping = false;

  /** @param left - heads of the running recordings that another service has left */
  constructor(options: RunningRecordingsOptions, left: readonly RecordingHead[]) {
    this.#options = options;
    this.#around = {
      ...options,
      terminals: () => this.#terminals,
      onEnded: ({ plan: { recordingId }, terminalId }, head) =>
        options.onChanged({ kind: 'stopped', recordingId, terminalId, truncated: head?.truncated }),
      onOver: (recording) => {
        const { terminalId } = recording;
        if (this.#running.get(terminalId) === recording) this.#running.delete(terminalId);
        this.#leaving.delete(recording.plan.recordingId);
      },
      strays: new Set(),
    };
    for (const head of [...left].sort((a, b) => compare(b.start_time, a.start_time))) {
      const recording = RunningRecording.adopt(this.#around, head);
      // Of one terminal only the latest recording continues. A recording without a journal has ended, but its file was
      // not renamed.
      if (head.journal && !this.#running.has(head.terminal_id))
        this.#running.set(head.terminal_id, recording);
      else this.#orphans.push(recording);
    }
  }

  /** Returns the recording that a shard continues when it opens the terminal. */
  planOf(terminalId: string): RecordingPlan | undefined {
    const recording = this.#running.get(terminalId);
    return recording?.isStarted ? recording.plan : undefined;
  }

  /** Follows the terminals, all of which are adopted at this point; ends the recordings of terminals that are gone. */
  follow(terminals: RecordedTerminals): void {
    this.#terminals = terminals;
    terminals.subscribe((event) => this.#onEvent(event));
    // A terminal that was lost with its pty host is listed as exited, but no shard reports its end.
    const there = terminals.list('all').filter(({ reason }) => reason === undefined);
    const known = new Set(there.map(({ id }) => id));
    const gone = [...this.#running.values()].filter(({ terminalId }) => !known.has(terminalId));
    for (const recording of [...this.#orphans.splice(0), ...gone]) void recording.end();
  }

  /** Returns the recording of a terminal that is not gone. */
  activeOf(terminalId: string): RecordingPlan | undefined {
    const plan = this.planOf(terminalId);
    return plan && !this.#leaving.has(plan.recordingId) ? plan : undefined;
  }

  /** Whether the recording runs, or its file may still be written after its terminal has gone. */
  isRunning(id: string): boolean {
    return this.#leaving.has(id) || this.ids().includes(id);
  }

  /** See {@link LeavingRecordings.settled}. */
  settled(id?: string): Promise<void> {
    return this.#leaving.settled(id);
  }

  /** Ids of the recordings that run. */
  ids(): string[] {
    return this.plans().map(({ recordingId }) => recordingId);
  }

  /** Plans of the recordings whose terminals are not gone. */
  active(): Array<RecordingPlan & { terminalId: string }> {
    return this.plans().filter(({ recordingId }) => !this.#leaving.has(recordingId));
  }

  /** Plans of the recordings that run, each with its terminal. */
  plans(): Array<RecordingPlan & { terminalId: string }> {
    const started = [...this.#running.values()].filter(({ isStarted }) => isStarted);
    return started.map(({ plan, terminalId }) => ({ ...plan, terminalId }));
  }

  /** The recordings that run, as the changes by which they have begun. */
  list(): RecordingChange[] {
    return this.plans().map(({ recordingId, terminalId }) => ({ kind: 'started', recordingId, terminalId }));
  }

  /** Starts a recording and returns its id. Throws terminal-not-found, already-recorded, shutting-down. */
  async start({ terminal_id: terminalId, options }: StartRecording): Promise<string> {
    if (this.#isStopping) throw new DomainError('shutting-down');
    const terminal = this.#terminals.get(terminalId);
    if (terminal.status === 'exited') throw new DomainError('terminal-not-found');
    if (this.#running.has(terminalId)) throw new DomainError('already-recorded');
    const recordingId = randomUUID();
    // Start times differ, so that the first of two recordings that start in one millisecond is known.
    this.#lastStart = Math.max(Date.now(), this.#lastStart + 1);
    const recording = new RunningRecording(this.#around, terminalId, {
      recordingId,
      file: this.#options.folder.runningPath(recordingId),
      startTime: new Date(this.#lastStart).toISOString(),
      shellType: terminal.profile || null,
      options,
    });
    this.#running.set(terminalId, recording);
    await recording.start();
    this.#options.onChanged({ kind: 'started', recordingId, terminalId });
    return recordingId;
  }

  /**
   * Stops a recording; resolves once it is finished. Throws recording-not-active, also for a recording that ended by
   * itself.
   */
  async stop(recordingId: string): Promise<RecordingTotals> {
    const recording = [...this.#running.values()].find(({ plan }) => plan.recordingId === recordingId);
    if (!recording) throw new DomainError('recording-not-active');
    return recording.stop();
  }

  /**
   * Stops all recordings, also those that are starting, and starts no more. Resolves within
   * {@link RECORDINGS_STOP_DEADLINE_MS}: a recording that is not stopped by then is finished at the next start of the
   * service.
   */
  async stopAll(): Promise<void> {
    this.#isStopping = true;
    const { finisher, logger } = this.#options;
    const present = [...this.#running.values()].filter(({ plan }) => !this.#leaving.has(plan.recordingId));
    const all = [...present.map((recording) => recording.stopAtEnd()), this.#leaving.settled()];
    const stopped = Promise.all(all).then(() => finisher.idle());
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), RECORDINGS_STOP_DEADLINE_MS);
    });
    if ((await Promise.race([stopped, late])) === 'late')
      logger.warn('not all recordings were stopped in time; the next start finishes them');
    clearTimeout(timer);
    finisher.close();
  }

  #onEvent(event: EngineEvent): void {
    if (event.type === 'recorded' && this.#around.strays.delete(event.recordingId)) {
      this.#removeStray(event.recordingId);
      return;
    }
    const recording = this.#running.get(event.id);
    if (event.type === 'written') {
      const { parts, at, isHidden, position } = event;
      recording?.typed({ texts: parts.map(({ data }) => data), at, isHidden, position });
    } else if (event.type === 'agent') {
      recording?.agent(event.agent);
    } else if (event.type === 'recorded') {
      if (recording?.plan.recordingId === event.recordingId) recording.ended(event.fault);
    } else if (event.type === 'exited') {
      if (event.exit.reason === 'host-lost') this.#lost(recording);
    } else if (event.type === 'removed') {
      if (event.reason === 'lost') this.#lost(recording);
      else this.#removed(recording);
    }
  }

  #removed(recording: RunningRecording | undefined): void {
    if (!recording) return;
    this.#leaving.add(recording.plan.recordingId);
    recording.awaitEnd();
  }

  /** Here the recording is over before it is finished; readers wait for that. */
  #lost(recording: RunningRecording | undefined): void {
    recording?.lost();
    if (recording?.isStarted) this.#leaving.add(recording.plan.recordingId);
  }

  #removeStray(recording: string): void {
    const { folder, logger } = this.#options;
    folder
      .remove(recording)
      .catch((err: unknown) =>
        logger.error({ err, recording }, 'a recording that no client knows could not be removed'),
      );
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
