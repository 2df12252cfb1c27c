import { MAX_ANSWER_READS, MAX_ANSWERS_BYTES } from '../../contract/limits.js';
import type { Screens } from '../screens.js';
import { throughShardDeaths } from '../waits/shard-deaths.js';
import type { Printed } from './progress.js';

/** What was printed, its end where that was too much. */
export interface PrintedText {
  text: string;
  truncated: boolean;
}

/** Reads outputs for one answer: a few at once, and no more than the answer may hold altogether. */
export class AnswerBytes {
  readonly #screens: Pick<Screens, 'stretch'>;
  #left: number;
  #reading = 0;
  readonly #waiting: Array<() => void> = [];

  /** @param left - bytes that the answer may still hold */
  constructor(screens: Pick<Screens, 'stretch'>, left = MAX_ANSWERS_BYTES) {
    this.#screens = screens;
    this.#left = Math.max(0, left);
  }

  /** The text of all stretches, one after the other. Rejects with terminal-not-found and `unavailable`. */
  async read(
    id: string,
    printed: readonly Printed[],
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<PrintedText> {
    await this.#begin();
    try {
      return await this.#read(id, printed, Math.min(maxBytes, this.#left), signal);
    } finally {
      this.#end();
    }
  }

  async #read(
    id: string,
    printed: readonly Printed[],
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<PrintedText> {
    const texts: string[] = [];
    let left = maxBytes;
    let truncated = false;
    for (const stretch of printed.toReversed()) {
      const query = { ...stretch, raw: false, maxBytes: left };
      const piece = await throughShardDeaths(signal, () => this.#screens.stretch(id, query));
      texts.unshift(piece.text);
      left -= Buffer.byteLength(piece.text);
      truncated ||= piece.truncated;
      // What comes before it is left out, too.
      if (piece.truncated) break;
    }
    this.#left -= maxBytes - left;
    return { text: texts.join(''), truncated };
  }

  #begin(): Promise<void> {
    if (this.#reading < MAX_ANSWER_READS) {
      this.#reading++;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The next one takes over the place. */
  #end(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#reading--;
  }
}
