import type { Logger } from 'pino';
import { RETENTION_LOOK_MS } from '../../contract/limits.js';
import type { RecordingHead } from '../../store/recording-head.js';

/** Limits on the finished recordings that are kept; 0 means no limit. */
export interface RetentionLimits {
  /** Days since the end of a recording. */
  keepDays: number;
  /** Bytes of all finished recordings together, as the list counts their sizes. */
  maxBytes: number;
}

type Kept = Pick<RecordingHead, 'id' | 'start_time' | 'end_time' | 'size'>;

const DAY_MS = 86_400_000;

/**
 * Returns the ids of the recordings to delete: recordings that ended too long ago, then the oldest of the others until the
 * remainder is small enough. `now` is in epoch milliseconds.
 */
export function outdated(
  recordings: Iterable<Kept>,
  { keepDays, maxBytes }: RetentionLimits,
  now: number,
): string[] {
  const newestFirst = [...recordings].sort((a, b) => endOf(b) - endOf(a));
  let bytes = 0;
  return newestFirst
    .filter((recording) => {
      if (keepDays > 0 && now - endOf(recording) > keepDays * DAY_MS) return true;
      bytes += recording.size;
      return maxBytes > 0 && bytes > maxBytes;
    })
    .map(({ id }) => id);
}

/** The end of a recording in epoch milliseconds; its start if the end was never written. */
function endOf({ start_time, end_time }: Kept): number {
  return Date.parse(end_time ?? start_time);
}

export interface RetentionOptions {
  limits: () => RetentionLimits;
  /** The finished recordings. */
  recordings: () => Iterable<Kept>;
  delete: (id: string) => Promise<void>;
  logger: Pick<Logger, 'info' | 'warn'>;
}

/** Deletes recordings that are not to be kept any longer. */
export class Retention {
  readonly #options: RetentionOptions;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** Looks now, and from then on once in RETENTION_LOOK_MS. */
  start(): void {
    this.look();
    this.#timer = setInterval(() => this.look(), RETENTION_LOOK_MS).unref();
  }

  /** Looks soon, since a limit has changed or a recording has ended. */
  look(): void {
    this.#looking = this.#looking.then(() => this.#sweep());
  }

  /** Resolves once nothing is being deleted any more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #sweep(): Promise<void> {
    const { limits, recordings, logger } = this.#options;
    const current = limits();
    if (current.keepDays === 0 && current.maxBytes === 0) return;
    let deleted = 0;
    for (const id of outdated(recordings(), current, Date.now())) {
      try {
        await this.#options.delete(id);
        deleted++;
      } catch (err) {
        // It stays in the list, and the next look tries again.
        logger.warn({ err, recording: id }, 'an old recording could not be deleted');
      }
    }
    if (deleted > 0) logger.info({ recordings: deleted, ...current }, 'old recordings were deleted');
  }
}
