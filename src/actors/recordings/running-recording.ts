import type { Logger } from 'pino';
import type { AgentState } from '../../contract/agent.js';
import { DomainError, type ErrorCode } from '../../contract/errors.js';
import { RECORDING_END_CHECK_MS } from '../../contract/limits.js';
import type { RecordingHead } from '../../store/recording-head.js';
import type { WrittenText } from '../../workers/shard/protocol.js';
import type { RecordingPlan, RecordingTotals } from '../../workers/shard/stages/recording-plan.js';
import type { Shards } from '../shards.js';
import type { Terminals } from '../terminals.js';
import type { RecordingFinisher } from './recording-finisher.js';
import type { RecordingFolder } from './recording-folder.js';

/** The parts of the terminals that recordings need. */
export interface RecordedTerminals extends Pick<Terminals, 'get' | 'list' | 'onShard' | 'subscribe'> {
  readonly shards: Promise<Pick<Shards, 'recordings'>>;
}

/** Dependencies that the running recordings share. */
export interface RecordingSurroundings {
  folder: Pick<RecordingFolder, 'runningPath' | 'remove'>;
  finisher: RecordingFinisher;
  logger: Logger;
  terminals: () => RecordedTerminals;
  /** Called once the recording is finished; without a head if it could not be. */
  onEnded: (recording: RunningRecording, head: RecordingHead | undefined) => void;
  /** Called when the recording does not run any more. */
  onOver: (recording: RunningRecording) => void;
  /**
   * Ids of recordings that a shard may have begun although no client has the id. The file of each is removed once
   * it has ended.
   */
  strays: Set<string>;
}

/** One recording from its start to its end. The shard of its terminal writes its file. */
export class RunningRecording {
  readonly terminalId: string;
  readonly plan: RecordingPlan;
  readonly #around: RecordingSurroundings;
  #state: 'starting' | 'running' | 'failed' = 'starting';
  #isAgentWaiting = false;
  #starting: Promise<void> = Promise.resolve();
  /** Set while a requested stop is under way. */
  #stopping: Promise<RecordingTotals> | undefined;
  /** Set once the recording has ended: resolves when it is finished, or could not be. */
  #ending: Promise<RecordingHead | undefined> | undefined;

  constructor(around: RecordingSurroundings, terminalId: string, plan: RecordingPlan) {
    this.#around = around;
    this.terminalId = terminalId;
    this.plan = plan;
  }

  /** Returns a recording that another service process has left running. */
  static adopt(around: RecordingSurroundings, head: RecordingHead): RunningRecording {
    const { id: recordingId, terminal_id: terminalId, start_time: startTime, metadata, options } = head;
    const file = around.folder.runningPath(recordingId);
    const plan = { recordingId, file, startTime, shellType: metadata.shell_type, options };
    const recording = new RunningRecording(around, terminalId, plan);
    recording.#state = 'running';
    return recording;
  }

  /** Whether the file exists, so that the recording's id may be known to clients. */
  get isStarted(): boolean {
    return this.#state === 'running';
  }

  /** Starts the recording; resolves once its shard records. Removes what exists of a recording that fails to start. */
  start(): Promise<void> {
    this.#starting = this.#begin();
    return this.#starting;
  }

  /**
   * Resolves once the recording is finished. Rejects with recording-not-active, also while another stop is under way.
   */
  async stop(): Promise<RecordingTotals> {
    if (!this.isStarted || this.#stopping) throw new DomainError('recording-not-active');
    return this.#stop();
  }

  /**
   * Stops the recording, or joins a stop that is under way, after its start if necessary. A recording that cannot be
   * stopped is left for later, with a log line.
   */
  async stopAtEnd(): Promise<void> {
    // The caller of the start gets its error.
    await this.#starting.catch(() => undefined);
    if (!this.isStarted || this.#ending) return;
    try {
      await this.#stop();
    } catch (err) {
      this.#around.logger.warn({ err }, 'a recording could not be stopped; the next start finishes it');
    }
  }

  /** Passes typed text on to the shard, for the recording. */
  typed(typed: WrittenText): void {
    if (!this.plan.options.include_input) return;
    this.#pass('typed text', (shard) => shard.typed(this.terminalId, typed));
  }

  /** Marks the moment at which an agent begins to wait. New followers have the same status reported once more. */
  agent({ agentStatus, agentStatusReason }: AgentState): void {
    const hasWaited = this.#isAgentWaiting;
    this.#isAgentWaiting = agentStatus === 'waiting';
    if (!this.plan.options.include_marks || !this.#isAgentWaiting || hasWaited) return;
    this.#pass('a mark', (shard) => shard.mark(this.terminalId, agentStatusReason ?? 'it waits'));
  }

  /** Handles the report of the shard that the recording has ended. */
  ended(fault: string | undefined): void {
    if (fault !== undefined)
      this.#around.logger.error(
        { recording: this.plan.recordingId, fault },
        'a recording could not continue and has ended',
      );
    void this.end();
  }

  /**
   * Ends the recording after its terminal has gone. Its shard ends it and reports that, but a dead shard cannot; in
   * that case nobody writes the file any more, and nobody knows whether it has all output.
   */
  awaitEnd(): void {
    setTimeout(async () => {
      if (this.#ending || this.#state === 'failed') return;
      if (this.#state === 'starting' || (await this.#isWritten())) this.awaitEnd();
      else void this.end(true);
    }, RECORDING_END_CHECK_MS).unref();
  }

  /**
   * Ends the recording after the pty host is gone. Its shards are gone, too, or the engine stops them in the same turn
   * as this call: from the next microtask on, `shards` resolves with their successors, and nobody writes the file any
   * more.
   */
  lost(): void {
    this.#around.onOver(this);
    const end = async () => {
      await this.#starting.catch(() => undefined);
      if (this.isStarted) await this.end();
    };
    queueMicrotask(() => void this.#around.terminals().shards.then(end, end));
  }

  /** Finishes the recording, once, as cut if output may be missing. Call this only when nobody writes its file any more. */
  end(isTruncated = false): Promise<RecordingHead | undefined> {
    this.#around.onOver(this);
    this.#ending ??= this.#finish(isTruncated);
    return this.#ending;
  }

  async #finish(isTruncated: boolean): Promise<RecordingHead | undefined> {
    const head = await this.#around.finisher.finish(this.plan, isTruncated);
    this.#around.onEnded(this, head);
    return head;
  }

  async #begin(): Promise<void> {
    try {
      const { terminalId, plan } = this;
      await this.#around.terminals().onShard(terminalId, (shard) => shard.record(terminalId, plan));
    } catch (error) {
      this.#state = 'failed';
      await this.#abandon();
      throw error;
    }
    this.#state = 'running';
  }

  #stop(): Promise<RecordingTotals> {
    this.#stopping ??= this.#stopOnShard().finally(() => {
      this.#stopping = undefined;
    });
    return this.#stopping;
  }

  async #stopOnShard(): Promise<RecordingTotals> {
    try {
      const totals = await this.#askToStop();
      await this.end();
      return totals;
    } catch (error) {
      if (isError(error, 'terminal-not-found')) throw new DomainError('recording-not-active');
      if (!isError(error, 'recording-not-active')) throw error;
      // The shard does not have this recording any more: everything that exists of it is in the file.
      const head = await this.end();
      if (!head) throw error;
      return totalsOf(head);
    }
  }

  #askToStop(): Promise<RecordingTotals> {
    return this.#around.terminals().onShard(this.terminalId, (shard) => shard.stopRecording(this.terminalId));
  }

  async #isWritten(): Promise<boolean> {
    const { recordingId } = this.plan;
    try {
      const shards = await this.#around.terminals().shards;
      return (await shards.recordings()).has(recordingId);
    } catch (err) {
      // The recording may be written by the very shard that does not answer.
      this.#around.logger.warn({ err, recording: recordingId }, 'a shard may still write a recording');
      return true;
    }
  }

  #pass(what: string, call: Parameters<RecordedTerminals['onShard']>[1]): void {
    if (!this.isStarted) return;
    const recording = this.plan.recordingId;
    this.#around
      .terminals()
      .onShard(this.terminalId, call)
      .catch((err: unknown) =>
        this.#around.logger.warn({ err, recording }, `${what} did not reach the shard and was not recorded`),
      );
  }

  /** Removes everything of a recording whose id no client has. */
  async #abandon(): Promise<void> {
    const { folder, logger, onOver, strays } = this.#around;
    const { recordingId } = this.plan;
    strays.add(recordingId);
    try {
      // The start may have worked although its reply timed out. If this stop times out too, the recording stays a stray.
      const isEnded = await this.#askToStop().then(
        () => true,
        (error: unknown) => !isError(error, 'unavailable'),
      );
      if (isEnded) strays.delete(recordingId);
      await folder.remove(recordingId);
    } catch (err) {
      logger.error({ err, recording: recordingId }, 'a recording that failed to start could not be removed');
    } finally {
      onOver(this);
    }
  }
}

/** Returns the totals of a finished recording. */
export function totalsOf({ id, size, event_count, truncated }: RecordingHead): RecordingTotals {
  return { recordingId: id, size, eventCount: event_count, ...(truncated && { truncated }) };
}

function isError(error: unknown, code: ErrorCode): boolean {
  return error instanceof DomainError && error.code === code;
}
