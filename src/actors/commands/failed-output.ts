import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Command } from '../../contract/command.js';
import { MAX_FAILED_FETCHES, MAX_FAILED_OUTPUT_BYTES, MAX_FAILED_WAITING } from '../../contract/limits.js';
import { isGone, type Screens } from '../screens.js';

/** The index that takes in the output of failed commands. */
export interface FailureIndex {
  failed(terminalId: string, text: string): void;
  /** Reports bytes of output that were left out. */
  leftOut(bytes: number): void;
}

export interface FailedOutputOptions {
  screens: () => Pick<Screens, 'rangeText'>;
  index: FailureIndex;
  logger: Pick<Logger, 'warn'>;
}

interface Failure {
  terminalId: string;
  command: Command;
  /** Upper bound of the bytes that the command printed. */
  bytes: number;
}

/**
 * Fetches the output of failed commands for the search index: MAX_FAILED_FETCHES at a time, in the order in which they
 * failed.
 */
export class FailedOutput {
  readonly #options: FailedOutputOptions;
  readonly #limit = pLimit(MAX_FAILED_FETCHES);
  /** Fetches that wait or are in progress. */
  readonly #fetches = new Set<Promise<void>>();

  constructor(options: FailedOutputOptions) {
    this.#options = options;
  }

  /** @param bytes - upper bound of the bytes that the command has printed */
  add(terminalId: string, command: Command, bytes: number): void {
    const failure = { terminalId, command, bytes: Math.min(bytes, MAX_FAILED_OUTPUT_BYTES) };
    if (this.#fetches.size >= MAX_FAILED_FETCHES + MAX_FAILED_WAITING) {
      this.#options.index.leftOut(failure.bytes);
      return;
    }
    const fetch = this.#limit(() => this.#fetch(failure)).finally(() => this.#fetches.delete(fetch));
    this.#fetches.add(fetch);
  }

  /** Resolves once everything added by now has been passed to the index, or left out. */
  async settled(): Promise<void> {
    await Promise.all(this.#fetches);
  }

  async #fetch({ terminalId, command, bytes }: Failure): Promise<void> {
    const { screens, index, logger } = this.#options;
    const { start, end } = command.outputCursor;
    try {
      const query = { start, end: end ?? undefined, raw: false, maxBytes: MAX_FAILED_OUTPUT_BYTES };
      index.failed(terminalId, (await screens().rangeText(terminalId, query)).text);
    } catch (err) {
      index.leftOut(bytes);
      // Not worth a log line: a terminal that was made for a single command is closed right after it.
      if (!isGone(err)) {
        logger.warn({ err, terminal: terminalId, command: command.id }, 'a failed command was not indexed');
      }
    }
  }
}
