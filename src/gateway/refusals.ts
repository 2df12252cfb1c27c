import type { Logger } from 'pino';
import type { DomainError } from '../contract/errors.js';
import { MAX_LOGGED_REFUSALS, REFUSALS_WINDOW_MS } from '../contract/limits.js';

const LOGGED_STATUSES: ReadonlySet<number> = new Set([401, 403]);

/**
 * Logs which clients are refused and why: at most MAX_LOGGED_REFUSALS lines in a window, then one line with the number
 * of refusals that were left out. The lines hold nothing from the request, whose URL may contain a token.
 */
export class Refusals {
  readonly #logger: Pick<Logger, 'warn'>;
  #logged = 0;
  #leftOut = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(logger: Pick<Logger, 'warn'>) {
    this.#logger = logger;
  }

  /** Notes an answer; ignores all but 401 and 403. `address` is absent for a unix socket. */
  note({ status, code, message }: DomainError, address: string | undefined): void {
    if (!LOGGED_STATUSES.has(status)) return;
    // The first refusal opens the window.
    this.#timer ??= setTimeout(() => this.end(), REFUSALS_WINDOW_MS).unref();
    if (this.#logged >= MAX_LOGGED_REFUSALS) {
      this.#leftOut++;
      return;
    }
    this.#logged++;
    this.#logger.warn({ status, code, reason: message, address: address ?? null }, 'a client was refused');
  }

  /** Ends the window, and logs how many refusals it left out. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#leftOut > 0) this.#logger.warn({ leftOut: this.#leftOut }, 'more clients were refused');
    this.#logged = 0;
    this.#leftOut = 0;
  }
}
