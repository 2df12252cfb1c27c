import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { MAX_FINISHED_AT_ONCE } from '../../contract/limits.js';
import type { RecordingHead } from '../../store/recording-head.js';
import type { JobPool } from '../../workers/jobs/pool.js';
import type { RecordingPlan } from '../../workers/shard/stages/recording-plan.js';
import type { RecordingFolder } from './recording-folder.js';

export interface RecordingFinisherOptions {
  folder: Pick<RecordingFolder, 'readFinished'>;
  jobs: Pick<JobPool, 'run'>;
  logger: Logger;
  onFinished: (head: RecordingHead) => void;
}

/**
 * Finishes recordings whose files nobody writes any more, a few at a time. Any number may wait here, since the queue of
 * the job pool is for requests and refuses work when it is full.
 */
export class RecordingFinisher {
  readonly #options: RecordingFinisherOptions;
  /** All recordings that are being finished or wait for that, by id. */
  readonly #open = new Map<string, Promise<RecordingHead | undefined>>();
  readonly #limit = pLimit(MAX_FINISHED_AT_ONCE);
  #isClosed = false;

  constructor(options: RecordingFinisherOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the head of the finished recording; undefined if it could not be finished, which is logged.
   *
   * @param isTruncated - whether output may be missing at its end
   */
  finish(
    plan: Pick<RecordingPlan, 'recordingId' | 'file'>,
    isTruncated = false,
  ): Promise<RecordingHead | undefined> {
    const { recordingId } = plan;
    const finished = this.#finish(plan, isTruncated).finally(() => this.#open.delete(recordingId));
    this.#open.set(recordingId, finished);
    return finished;
  }

  isFinishing(recordingId: string): boolean {
    return this.#open.has(recordingId);
  }

  /** Resolves with the result of {@link finish} for a recording that is being finished; with undefined for any other. */
  async finishing(recordingId: string): Promise<RecordingHead | undefined> {
    return this.#open.get(recordingId);
  }

  /** Resolves once all recordings that were passed to `finish` so far are finished. */
  async idle(): Promise<void> {
    await Promise.all(this.#open.values());
  }

  /** Begins no more work: the next start of the service finds the files that wait. */
  close(): void {
    this.#isClosed = true;
  }

  async #finish({ recordingId, file }: Pick<RecordingPlan, 'recordingId' | 'file'>, isTruncated: boolean) {
    const { folder, jobs, logger, onFinished } = this.#options;
    try {
      let head = await folder.readFinished(recordingId);
      if (!head) {
        await this.#limit(async () => {
          if (!this.#isClosed) await jobs.run('finishRecording', { file, isTruncated });
        });
        head = await folder.readFinished(recordingId);
      }
      if (head) onFinished(head);
      return head;
    } catch (err) {
      logger.error(
        { err, recording: recordingId },
        'a recording could not be finished; the next start tries again',
      );
      return undefined;
    }
  }
}
