import { CATCH_UP_AT_CLOSE_MS } from '../../contract/limits.js';
import type { AttachedTerminal } from './attached-terminal.js';
import { deferred } from './deferred.js';

/** The replay by which a shard catches up with the output that the pty host has of a terminal. */
export class CatchingUp {
  readonly #forCalls = deferred<AttachedTerminal>();
  readonly #atEnd = deferred<AttachedTerminal>();

  /** Resolves at the end of the replay. Rejects with the error of {@link close}, at once. */
  get forCalls(): Promise<AttachedTerminal> {
    return this.#forCalls.promise;
  }

  /** Resolves at the end of the replay, also during {@link close}. Rejects when that gives up. */
  get atEnd(): Promise<AttachedTerminal> {
    return this.#atEnd.promise;
  }

  /** Call at the end of the replay. */
  reached(terminal: AttachedTerminal): void {
    this.#forCalls.resolve(terminal);
    this.#atEnd.resolve(terminal);
  }

  /** Call when the pty host sends nothing more. */
  failed(error: Error): void {
    this.#atEnd.reject(error);
  }

  /** Rejects the calls that wait. Resolves with whether the replay has come to its end, in a bounded time. */
  async close(error: Error): Promise<boolean> {
    this.#forCalls.reject(error);
    const late = setTimeout(() => this.failed(error), CATCH_UP_AT_CLOSE_MS);
    const isWhole = await this.#atEnd.promise.then(
      () => true,
      () => false,
    );
    clearTimeout(late);
    return isWhole;
  }
}
