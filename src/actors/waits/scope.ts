import { abortable } from '../abortable.js';

/** Lifetime of a wait: up to its time limit, or until its client has left. */
export class Scope {
  readonly #controller = new AbortController();
  readonly #endsAt: number;
  readonly #over: Promise<void>;
  #setOver = () => {};

  /** @param client - fires once nobody wants the answer any longer; its reason is the error to reject with */
  constructor(timeoutMs: number, client: AbortSignal) {
    this.#endsAt = performance.now() + timeoutMs;
    this.#over = abortable(client, (resolve) => {
      this.#setOver = resolve;
      const timer = setTimeout(resolve, timeoutMs);
      return () => clearTimeout(timer);
    });
    // `race` handles the rejection. Without a race it must not count as unhandled.
    this.#over.catch(() => undefined);
  }

  /** Aborted by {@link end}, to release everything that is in progress for the wait. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get leftMs(): number {
    return Math.max(0, this.#endsAt - performance.now());
  }

  /** Resolves when the work does, or when the time is up; rejects when the work does, or when the client has left. */
  async race(work: Promise<unknown>): Promise<void> {
    await Promise.race([work, this.#over]);
  }

  /** Releases everything. Must be called however the wait ended; further calls do nothing. */
  end(): void {
    this.#setOver();
    this.#controller.abort(new WaitOver());
  }
}

/** Error with which work still in progress for an ended wait rejects; never reported to anybody. */
export class WaitOver extends Error {
  constructor() {
    super('the wait is over');
    this.name = 'WaitOver';
  }
}

/** Calls `work` with a signal that fires when `signal` does, and when the work has ended. */
export async function within<Result>(
  signal: AbortSignal,
  work: (inner: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    signal.removeEventListener('abort', abort);
    controller.abort(new WaitOver());
  }
}
