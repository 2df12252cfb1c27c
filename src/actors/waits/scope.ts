/** How long a wait goes on: up to its time, or until its client has gone. */
export class Scope {
  readonly #controller = new AbortController();
  readonly #client: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #endsAt: number;
  readonly #over: Promise<void>;
  #left = () => {};

  /** @param client - fires with what to reject with, once nobody wants the answer any more */
  constructor(timeoutMs: number, client: AbortSignal) {
    this.#client = client;
    this.#endsAt = performance.now() + timeoutMs;
    let isOver = () => {};
    this.#over = new Promise((resolve, reject) => {
      isOver = resolve;
      this.#left = () => reject(client.reason);
    });
    // Whoever races with it handles it; nobody may.
    this.#over.catch(() => undefined);
    this.#timer = setTimeout(isOver, timeoutMs);
    client.addEventListener('abort', this.#left, { once: true });
    if (client.aborted) this.#left();
  }

  /** Aborted by {@link end}: whatever is under way for the wait is to be released then. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get leftMs(): number {
    return Math.max(0, this.#endsAt - performance.now());
  }

  /** Resolves with the work, or at the end of the time; rejects with the work, or when the client has gone. */
  async race(work: Promise<unknown>): Promise<void> {
    await Promise.race([work, this.#over]);
  }

  /** Releases everything; to be called once, whatever became of the wait. */
  end(): void {
    clearTimeout(this.#timer);
    this.#client.removeEventListener('abort', this.#left);
    this.#controller.abort(new WaitOver());
  }
}

/** What is under way for a wait that has ended rejects with it; nobody is told. */
export class WaitOver extends Error {
  constructor() {
    super('the wait is over');
    this.name = 'WaitOver';
  }
}

/** Calls `work` with a signal that fires with `signal`, and when the work has ended. */
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

/** Resolves after so many milliseconds, at once for none; rejects with the signal's reason. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}
