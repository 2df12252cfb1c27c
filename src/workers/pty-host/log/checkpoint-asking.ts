import type { TerminalLog } from './terminal-log.js';

/** A checkpoint is requested when a log has reached this share of its limit, and could shrink by WORTH_SHARE. */
const WANTED_SHARE = 0.75;
const WORTH_SHARE = 0.5;

/** Decides when the reader of a log is asked for a checkpoint: once for each that is current. */
export class CheckpointAsking {
  /** Position of the checkpoint that was current when another was last requested. */
  #askedAfter: number | null = null;
  #isAsking = false;

  /** Allows the next reader to be asked for the checkpoint that the reader before was asked for. */
  restart(): void {
    this.#askedAfter = null;
  }

  /**
   * Returns whether a request has become due, which {@link take} then hands out.
   *
   * @param limit - bytes that the log may keep
   * @param confirmed - position up to which the reader has taken the output in
   */
  look(
    { size, checkpoint }: Pick<TerminalLog, 'size' | 'checkpoint'>,
    limit: number,
    confirmed: number,
  ): boolean {
    const { position: after } = checkpoint;
    if (this.#askedAfter === after || size === 0 || size < limit * WANTED_SHARE) return false;
    // A reader at the beginning of a replay cannot supply a useful checkpoint yet.
    if (confirmed - after < size * WORTH_SHARE) return false;
    this.#askedAfter = after;
    this.#isAsking = true;
    return true;
  }

  /** Returns whether a request is to be sent, once for each. */
  take(): boolean {
    const isAsking = this.#isAsking;
    this.#isAsking = false;
    return isAsking;
  }
}
