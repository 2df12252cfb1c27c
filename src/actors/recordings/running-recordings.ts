import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import { HEARTBEAT_DEADLINE_MS } from '../../contract/limits.js';
import type { StartRecording } from '../../contract/recording.js';
import type { RecordingHead } from '../../store/recording-head.js';
import type { JobPool } from '../../workers/jobs/pool.js';
import type { RecordingPlan, RecordingTotals } from '../../workers/shard/taps/recording-plan.js';
import type { EngineEvent } from '../events.js';
import type { Terminals } from '../terminals.js';
import type { RecordingFolder } from './recording-folder.js';

/** A shard that has not ended the recording of a removed terminal by now has died meanwhile. */
const ABANDONED_AFTER_MS = 2 * HEARTBEAT_DEADLINE_MS;

interface Running {
  terminalId: string;
  plan: RecordingPlan;
  /** `starting` until its shard has made the file, `stopping` once somebody has asked for it. */
  state: 'starting' | 'running' | 'stopping';
  /** Set once it has ended: resolves when it is finished. */
  ending?: Promise<void>;
}

export interface RunningRecordingsOptions {
  folder: RecordingFolder;
  jobs: Pick<JobPool, 'run'>;
  logger: Logger;
  onFinished: (head: RecordingHead) => void;
}

/**
 * The recordings that run: at most one for each terminal. The shard of a terminal writes its file; here is known
 * which there are, so that a new shard or a new service goes on with them, or ends them when their terminal is gone.
 */
export class RunningRecordings {
  readonly #options: RunningRecordingsOptions;
  /** By terminal. */
  readonly #running = new Map<string, Running>();
  /** Those that have ended and are being finished. */
  readonly #ending = new Set<Promise<void>>();
  readonly #orphans: Running[] = [];
  #terminals!: Pick<Terminals, 'get' | 'list' | 'onShard' | 'subscribe' | 'shards'>;
  #isStopping = false;

  /** @param left - heads of the running recordings that another service has left */
  constructor(options: RunningRecordingsOptions, left: readonly RecordingHead[]) {
    this.#options = options;
    for (const head of [...left].sort((a, b) => compare(b.start_time, a.start_time))) {
      const running = this.#adopt(head);
      // Of one terminal only the latest goes on; one without a journal had ended when its service did.
      if (head.journal && !this.#running.has(head.terminal_id)) this.#running.set(head.terminal_id, running);
      else this.#orphans.push(running);
    }
  }

  /** What a shard that opens the terminal is to go on with. */
  planOf(terminalId: string): RecordingPlan | undefined {
    const running = this.#running.get(terminalId);
    return running && running.state !== 'starting' ? running.plan : undefined;
  }

  /** Follows the terminals, all of which have been adopted by now; ends what recorded one that is gone. */
  follow(terminals: Pick<Terminals, 'get' | 'list' | 'onShard' | 'subscribe' | 'shards'>): void {
    this.#terminals = terminals;
    terminals.subscribe((event) => this.#onEvent(event));
    const known = new Set(terminals.list('all').map(({ id }) => id));
    for (const orphan of this.#orphans.splice(0)) this.#end(orphan);
    for (const running of this.#running.values()) if (!known.has(running.terminalId)) this.#end(running);
  }

  /** Ids of the recordings that run. */
  ids(): string[] {
    const ready = [...this.#running.values()].filter(({ state }) => state !== 'starting');
    return ready.map(({ plan }) => plan.recordingId);
  }

  isRecording(terminalId: string): boolean {
    return this.planOf(terminalId) !== undefined;
  }

  /** Answers the id of the recording. Throws terminal-not-found, already-recorded, shutting-down. */
  async start({ terminal_id: terminalId, options }: StartRecording): Promise<string> {
    if (this.#isStopping) throw new DomainError('shutting-down');
    const terminal = this.#terminals.get(terminalId);
    if (terminal.status === 'exited') throw new DomainError('terminal-not-found');
    if (this.#running.has(terminalId)) throw new DomainError('already-recorded');
    const recordingId = randomUUID();
    const file = this.#options.folder.runningPath(recordingId);
    const plan: RecordingPlan = { recordingId, file, shellType: terminal.profile || null, options };
    const running: Running = { terminalId, plan, state: 'starting' };
    this.#running.set(terminalId, running);
    try {
      await this.#terminals.onShard(terminalId, (shard) => shard.record(terminalId, plan));
    } catch (error) {
      await this.#abandon(running);
      throw error;
    }
    running.state = 'running';
    return recordingId;
  }

  /** Resolves once the recording is finished. Throws recording-not-active. */
  async stop(recordingId: string): Promise<RecordingTotals> {
    const running = [...this.#running.values()].find(({ plan }) => plan.recordingId === recordingId);
    if (running?.state !== 'running') throw new DomainError('recording-not-active');
    const { terminalId } = running;
    running.state = 'stopping';
    try {
      const totals = await this.#terminals.onShard(terminalId, (shard) => shard.stopRecording(terminalId));
      await this.#end(running);
      return totals;
    } catch (error) {
      // Another shard goes on with it.
      if (!running.ending) running.state = 'running';
      const isGone = error instanceof DomainError && error.code === 'terminal-not-found';
      throw isGone ? new DomainError('recording-not-active') : error;
    }
  }

  /** Stops all of them, and starts no more. What cannot be stopped is ended at the next start of the service. */
  async stopAll(): Promise<void> {
    this.#isStopping = true;
    const stopped = await Promise.allSettled(this.ids().map((id) => this.stop(id)));
    for (const result of stopped) {
      if (result.status === 'rejected')
        this.#options.logger.warn(
          { err: result.reason },
          'a recording was not stopped and is left for later',
        );
    }
    await Promise.all(this.#ending);
  }

  #onEvent(event: EngineEvent): void {
    const running = this.#running.get(event.id);
    if (!running) return;
    if (event.type === 'typed')
      this.#typed(
        running,
        event.parts.map(({ data }) => data),
        event.at,
      );
    else if (event.type === 'recorded') this.#recorded(running, event.recordingId, event.fault);
    else if (event.type === 'removed') this.#removed(running, event.reason === 'lost');
  }

  #typed({ terminalId, plan, state }: Running, texts: string[], at: number): void {
    if (state === 'starting' || !plan.options.include_input) return;
    this.#terminals
      .onShard(terminalId, (shard) => shard.typed(terminalId, texts, at))
      .catch((err: unknown) =>
        this.#options.logger.debug({ err, recording: plan.recordingId }, 'typed text was not recorded'),
      );
  }

  #recorded(running: Running, recordingId: string, fault: string | undefined): void {
    if (running.plan.recordingId !== recordingId) return;
    if (fault !== undefined)
      this.#options.logger.error(
        { recording: recordingId, fault },
        'a recording could not go on and has ended',
      );
    if (running.state !== 'starting') this.#end(running);
  }

  /** Its shard ends it, and says so; with the pty host the shards are gone, too. */
  #removed(running: Running, isLost: boolean): void {
    if (!isLost) {
      setTimeout(() => this.#end(running), ABANDONED_AFTER_MS).unref();
      return;
    }
    this.#running.delete(running.terminalId);
    // The shards are being ended from the moment on in which this is told.
    const end = () => this.#end(running);
    queueMicrotask(() => void this.#terminals.shards.then(end, end));
  }

  /** Finishes what has ended, once. Nobody writes its file any more. */
  #end(running: Running): Promise<void> {
    if (running.ending) return running.ending;
    if (this.#running.get(running.terminalId) === running) this.#running.delete(running.terminalId);
    const ending = this.#finish(running.plan).finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    running.ending = ending;
    return ending;
  }

  async #finish({ recordingId, file }: RecordingPlan): Promise<void> {
    const { folder, jobs, logger, onFinished } = this.#options;
    try {
      let head = await folder.readFinished(recordingId);
      if (!head) {
        await jobs.run('finishRecording', { file });
        head = await folder.readFinished(recordingId);
      }
      if (head) onFinished(head);
    } catch (err) {
      logger.error(
        { err, recording: recordingId },
        'a recording could not be finished; the next start tries again',
      );
    }
  }

  /** Leaves nothing of a recording that nobody has been told of. */
  async #abandon(running: Running): Promise<void> {
    const { terminalId, plan } = running;
    // It may have begun all the same, where only the answer was too late.
    await this.#terminals
      .onShard(terminalId, (shard) => shard.stopRecording(terminalId))
      .catch(() => undefined);
    await this.#options.folder.remove(plan.recordingId);
    this.#running.delete(terminalId);
  }

  #adopt({ id: recordingId, terminal_id: terminalId, metadata, options }: RecordingHead): Running {
    const file = this.#options.folder.runningPath(recordingId);
    return {
      terminalId,
      plan: { recordingId, file, shellType: metadata.shell_type, options },
      state: 'running',
    };
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
