import type { Logger } from 'pino';
import { DomainError, type ErrorCode } from '../../contract/errors.js';
import { RECORDING_END_CHECK_MS } from '../../contract/limits.js';
import type { RecordingHead } from '../../store/recording-head.js';
import type { WrittenText } from '../../workers/shard/protocol.js';
import type { RecordingPlan, RecordingTotals } from '../../workers/shard/taps/recording-plan.js';
import type { Shards } from '../shards.js';
import type { Terminals } from '../terminals.js';
import type { RecordingFinisher } from './recording-finisher.js';
import type { RecordingFolder } from './recording-folder.js';

/** What is needed of the terminals. */
export interface RecordedTerminals extends Pick<Terminals, 'get' | 'list' | 'onShard' | 'subscribe'> {
  readonly shards: Promise<Pick<Shards, 'recordings'>>;
}

/** What the running recordings share. */
export interface RecordingSurroundings {
  folder: Pick<RecordingFolder, 'runningPath' | 'remove'>;
  finisher: RecordingFinisher;
  logger: Logger;
  terminals: () => RecordedTerminals;
  /** The recording does not run any more. */
  onOver: (recording: RunningRecording) => void;
  /** Nobody was given the id of the recording, but a shard may have begun it: it is in the way once it has ended. */
  onStray: (recordingId: string) => void;
}

/** One recording from its start to its end. The shard of its terminal writes its file. */
export class RunningRecording {
  readonly terminalId: string;
  readonly plan: RecordingPlan;
  readonly #around: RecordingSurroundings;
  #state: 'starting' | 'running' | 'failed' = 'starting';
  #starting: Promise<void> = Promise.resolve();
  /** Set while a stop that was asked for is under way. */
  #stopping: Promise<RecordingTotals> | undefined;
  /** Its shard has told that it is over. That may come before the answer to the start: they go by different ports. */
  #isOver = false;
  /** Set once it has ended: resolves when it is finished, or could not be. */
  #ending: Promise<RecordingHead | undefined> | undefined;

  constructor(around: RecordingSurroundings, terminalId: string, plan: RecordingPlan) {
    this.#around = around;
    this.terminalId = terminalId;
    this.plan = plan;
  }

  /** One that another service has left. */
  static adopt(around: RecordingSurroundings, head: RecordingHead): RunningRecording {
    const { id: recordingId, terminal_id: terminalId, start_time: startTime, metadata, options } = head;
    const file = around.folder.runningPath(recordingId);
    const plan = { recordingId, file, startTime, shellType: metadata.shell_type, options };
    const recording = new RunningRecording(around, terminalId, plan);
    recording.#state = 'running';
    return recording;
  }

  /** Its file is there, and its id may be known. */
  get isStarted(): boolean {
    return this.#state === 'running';
  }

  /** Resolves once it records. What is there of one that fails is removed. */
  start(): Promise<void> {
    this.#starting = this.#begin();
    return this.#starting;
  }

  /** Resolves once it is finished. Rejects with recording-not-active, also while another stop is under way. */
  async stop(): Promise<RecordingTotals> {
    if (!this.isStarted || this.#stopping) throw new DomainError('recording-not-active');
    return this.#stop();
  }

  /** Stops it, or joins whoever does, after its start if need be. What cannot be stopped is left, with a log line. */
  async stopAtEnd(): Promise<void> {
    // Whoever asked for the start is told how it failed.
    await this.#starting.catch(() => undefined);
    if (!this.isStarted || this.#ending) return;
    try {
      await this.#stop();
    } catch (err) {
      this.#around.logger.warn({ err }, 'a recording was not stopped and is left for later');
    }
  }

  /** Passes on what was typed. */
  typed(typed: WrittenText): void {
    if (!this.isStarted || !this.plan.options.include_input) return;
    this.#around
      .terminals()
      .onShard(this.terminalId, (shard) => shard.typed(this.terminalId, typed))
      .catch((err: unknown) =>
        this.#around.logger.warn(
          { err, recording: this.plan.recordingId },
          'typed text could not be handed on and was not recorded',
        ),
      );
  }

  /** Its shard tells that it has ended. */
  ended(fault: string | undefined): void {
    if (fault !== undefined)
      this.#around.logger.error(
        { recording: this.plan.recordingId, fault },
        'a recording could not go on and has ended',
      );
    this.#isOver = true;
    if (this.isStarted) void this.end();
  }

  /** Its terminal has gone. Its shard ends it, and says so; one that has died cannot: then nobody writes it. */
  awaitEnd(): void {
    setTimeout(async () => {
      if (this.#ending || this.#state === 'failed') return;
      if (this.#state === 'starting' || (await this.#isWritten())) this.awaitEnd();
      else void this.end();
    }, RECORDING_END_CHECK_MS).unref();
  }

  /** The pty host has gone. With it the shards have, or do from the moment on in which this is told. */
  lost(): void {
    this.#around.onOver(this);
    const end = async () => {
      await this.#starting.catch(() => undefined);
      if (this.isStarted) await this.end();
    };
    queueMicrotask(() => void this.#around.terminals().shards.then(end, end));
  }

  /** Finishes it, once, when nobody writes its file any more. */
  end(): Promise<RecordingHead | undefined> {
    this.#around.onOver(this);
    this.#ending ??= this.#around.finisher.finish(this.plan);
    return this.#ending;
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
    if (this.#isOver) void this.end();
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
      // Its shard has nothing to do with it any more: what there is of it is in the file.
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
      // It may be the one that does not answer.
      this.#around.logger.warn({ err, recording: recordingId }, 'a shard may still write a recording');
      return true;
    }
  }

  /** Leaves nothing of a recording that nobody has been told of. */
  async #abandon(): Promise<void> {
    const { folder, logger, onOver, onStray } = this.#around;
    const { recordingId } = this.plan;
    try {
      // It has begun all the same where only the answer was too late; where this one is, too, it ends later.
      await this.#askToStop().catch((error: unknown) => {
        if (isError(error, 'unavailable') && !this.#isOver) onStray(recordingId);
      });
      await folder.remove(recordingId);
    } catch (err) {
      logger.error({ err, recording: recordingId }, 'a recording that failed to start could not be removed');
    } finally {
      onOver(this);
    }
  }
}

/** What a finished recording has come to. */
export function totalsOf({ id, size, event_count, truncated }: RecordingHead): RecordingTotals {
  return { recordingId: id, size, eventCount: event_count, ...(truncated && { truncated }) };
}

function isError(error: unknown, code: ErrorCode): boolean {
  return error instanceof DomainError && error.code === code;
}
