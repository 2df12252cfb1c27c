import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import pLimit from 'p-limit';
import {
  MAX_FEED_QUEUE_BYTES,
  SHARD_FEED_BURST_BYTES,
  SHARD_FEED_BYTES_PER_S,
} from '../../../contract/limits.js';
import { TokenBucket } from '../../token-bucket.js';
import type { ParseLoop } from '../parse-loop.js';
import type { PrintStart } from '../screen/text/print-start.js';
import { renderPrinted, type Segment } from '../screen/text/printed.js';

/** Length of one turn of rendering. */
const TURN_MS = 4;

/** Pause after each turn while output floods: rendering then takes a twentieth of the thread, and mostly waits. */
const BUSY_PAUSE_MS = 76;

/**
 * Renders output for the search index, for all terminals of a shard, one range after the other. This is a second parse
 * that no client waits for and that must not slow down the first.
 */
export class FeedRenderer {
  /** Setting `search.index`. */
  isOn = true;
  readonly #loop: Pick<ParseLoop, 'isBusy'>;
  readonly #budget = new TokenBucket({ perSecond: SHARD_FEED_BYTES_PER_S, burst: SHARD_FEED_BURST_BYTES });
  readonly #inTurn = pLimit(1);
  #queuedBytes = 0;
  #turnEnds = 0;

  constructor(loop: Pick<ParseLoop, 'isBusy'>) {
    this.#loop = loop;
  }

  /**
   * Returns whether a range of this many bytes may be fed, as far as the shard's other terminals allow.
   *
   * @param spare - bytes that must be left for other terminals
   */
  hasRoom(bytes: number, spare = 0): boolean {
    return this.isOn && this.#queuedBytes + bytes <= MAX_FEED_QUEUE_BYTES && this.#budget.has(bytes + spare);
  }

  /** Reserves the room of a range, which {@link render} or {@link release} frees. */
  reserve(bytes: number): void {
    this.#budget.take(bytes);
    this.#queuedBytes += bytes;
  }

  release(bytes: number): void {
    this.#queuedBytes -= bytes;
  }

  /**
   * Renders the lines of a range. Calls are done in their order. A line that may go on in the next row ends with `FULL_ROW`.
   * Rejects when the screen fails on them.
   */
  render(segments: readonly Segment[], start: PrintStart, reserved: number): Promise<string[]> {
    return this.#inTurn(async () => {
      try {
        await this.#giveWay();
        const giveWay = () => this.#giveWay();
        return await renderPrinted(segments, start, { alternate: false, marksFull: true, giveWay });
      } finally {
        this.release(reserved);
      }
    });
  }

  /** Yields the thread if the turn is over. */
  async #giveWay(): Promise<void> {
    if (performance.now() < this.#turnEnds) return;
    if (this.#loop.isBusy) await delay(BUSY_PAUSE_MS);
    else await nextTurn();
    this.#turnEnds = performance.now() + TURN_MS;
  }
}
