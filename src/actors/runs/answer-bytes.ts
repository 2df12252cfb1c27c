import { MAX_ANSWER_READS, MAX_ANSWERS_BYTES, RUN_READ_MS } from '../../contract/limits.js';
import type { Screens } from '../screens.js';
import { retryAcrossShardRestart } from '../waits/shard-restart.js';
import type { Printed } from './progress.js';

/** Printed text; only its end where it exceeded the byte limit. */
export interface PrintedText {
  text: string;
  truncated: boolean;
}

interface Waiting {
  maxBytes: number;
  begin(granted: number): void;
}

/**
 * Reads outputs for one answer: a few at once, and together never more than the answer may hold. A read reserves
 * the most that it may need before it begins, and gives back the rest: a read for which there is not enough waits for
 * the reads before it, and gets less only where these leave less.
 */
export class AnswerBytes {
  readonly #screens: Pick<Screens, 'rangeText'>;
  /** Bytes that no read holds. */
  #left: number;
  #reading = 0;
  readonly #waiting: Waiting[] = [];

  /** @param left - bytes that the answer may still hold */
  constructor(screens: Pick<Screens, 'rangeText'>, left = MAX_ANSWERS_BYTES) {
    this.#screens = screens;
    this.#left = Math.max(0, left);
  }

  /**
   * Returns the text of all ranges, concatenated in order; only the end of it where it exceeds `maxBytes` or the
   * remaining budget. Rejects with terminal-not-found, `unavailable` and the signal's reason.
   */
  async read(
    id: string,
    printed: readonly Printed[],
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<PrintedText> {
    const granted = await this.#begin(maxBytes);
    let unused = granted;
    try {
      const output = await this.#read(id, printed, granted, signal);
      unused -= Buffer.byteLength(output.text);
      return output;
    } finally {
      this.#left += unused;
      this.#reading--;
      this.#beginNext();
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
    for (const range of printed.toReversed()) {
      const query = { ...range, raw: false, maxBytes: left };
      const piece = await retryAcrossShardRestart(signal, () =>
        this.#screens.rangeText(id, query, RUN_READ_MS),
      );
      texts.unshift(piece.text);
      left -= Buffer.byteLength(piece.text);
      truncated ||= piece.truncated;
      // The cause of this cut, the limit or the history, also cuts everything printed before the range.
      if (piece.truncated) break;
    }
    return { text: texts.join(''), truncated };
  }

  /** Resolves with the bytes that the read may take, once it is its turn. */
  #begin(maxBytes: number): Promise<number> {
    return new Promise((begin) => {
      this.#waiting.push({ maxBytes, begin });
      this.#beginNext();
    });
  }

  #beginNext(): void {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const isEnough =
        this.#reading === 0 || (this.#reading < MAX_ANSWER_READS && this.#left >= next.maxBytes);
      if (!isEnough) return;
      this.#waiting.shift();
      const granted = Math.min(next.maxBytes, this.#left);
      this.#left -= granted;
      this.#reading++;
      next.begin(granted);
    }
  }
}
