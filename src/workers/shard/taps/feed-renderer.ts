import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import {
  MAX_FEED_QUEUE_BYTES,
  SHARD_FEED_BURST_BYTES,
  SHARD_FEED_BYTES_PER_S,
} from '../../../contract/limits.js';
import { TokenBucket } from '../../token-bucket.js';
import type { ParseLoop } from '../parse-loop.js';
import { type PrintStart, renderPrinted, type Segment } from '../screen/printed.js';

/** Rendering takes turns of this length, ... */
const TURN_MS = 4;

/** ... and while output floods, a pause follows each: a twentieth of the thread is its share, most waits. */
const BUSY_PAUSE_MS = 76;

/**
 * Renders output for the search index, for all terminals of a shard, one stretch after the other: a second parse
 * that nobody waits for, and that must not slow the first.
 */
export class FeedRenderer {
  /** Setting `search.index`. */
  isOn = true;
  readonly #loop: Pick<ParseLoop, 'isBusy'>;
  readonly #budget = new TokenBucket({ perSecond: SHARD_FEED_BYTES_PER_S, burst: SHARD_FEED_BURST_BYTES });
  #queue: Promise<unknown> = Promise.resolve();
  #queuedBytes = 0;
  #turnEnds = 0;

  constructor(loop: Pick<ParseLoop, 'isBusy'>) {
    this.#loop = loop;
  }

  /**
   * Whether a stretch of so many bytes may be fed, as far as other terminals go.
   *
   * @param spare - bytes that have to be left for others
   */
  hasRoom(bytes: number, spare = 0): boolean {
    return this.isOn && this.#queuedBytes + bytes <= MAX_FEED_QUEUE_BYTES && this.#budget.has(bytes + spare);
  }

  /** Takes the room of a stretch, which {@link render} or {@link release} gives back. */
  reserve(bytes: number): void {
    this.#budget.take(bytes);
    this.#queuedBytes += bytes;
  }

  release(bytes: number): void {
    this.#queuedBytes -= bytes;
  }

  /** The lines of a stretch, in the order of the calls. Rejects where the screen fails on them. */
  render(segments: readonly Segment[], start: PrintStart, reserved: number): Promise<string[]> {
    const lines = this.#queue.then(async () => {
      await this.#giveWay();
      return renderPrinted(segments, start, { alternate: false, giveWay: () => this.#giveWay() });
    });
    this.#queue = lines.then(
      () => this.release(reserved),
      () => this.release(reserved),
    );
    return lines;
  }

  /** Ends a turn that is over. */
  async #giveWay(): Promise<void> {
    if (performance.now() < this.#turnEnds) return;
    if (this.#loop.isBusy) await delay(BUSY_PAUSE_MS);
    else await nextTurn();
    this.#turnEnds = performance.now() + TURN_MS;
  }
}
