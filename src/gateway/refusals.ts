import type { Logger } from 'pino';
import { LineWindow } from '../actors/audit/line-window.js';
import type { DomainError } from '../contract/errors.js';

const LOGGED_STATUSES: ReadonlySet<number> = new Set([401, 403]);

/**
 * Logs which clients are refused and why: a bounded number of lines in a window, then one line with the number of
 * refusals that were left out. The lines hold nothing from the request, whose URL may contain a token.
 */
export class Refusals {
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #window: LineWindow;

  constructor(logger: Pick<Logger, 'warn'>) {
    this.#logger = logger;
    this.#window = new LineWindow((leftOut) => logger.warn({ leftOut }, 'more clients were refused'));
  }

  /** Notes an answer; ignores all but 401 and 403. `address` is absent for a unix socket. */
  note({ status, code, message }: DomainError, address: string | undefined): void {
    if (!LOGGED_STATUSES.has(status) || !this.#window.admit()) return;
    this.#logger.warn({ status, code, reason: message, address: address ?? null }, 'a client was refused');
  }

  /** Ends the window, and logs how many refusals it left out. */
  end(): void {
    this.#window.end();
  }
}
