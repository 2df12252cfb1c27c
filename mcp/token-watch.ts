import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, type AutoTerminal } from '../src/client/index.js';
import { TOKEN_WATCH_MS, TOKEN_WATCH_PAUSE_MS } from '../src/contract/limits.js';

interface Watch {
  onEnded: Set<() => void>;
  stop: AbortController;
}

/**
 * Detects the end of a caller's token. One request for each token is held open at the service, which breaks it off at
 * that moment; the next request is then refused.
 */
export class TokenWatch {
  readonly #serviceFor: (token: string) => AutoTerminal;
  readonly #watches = new Map<string, Watch>();

  /** @param serviceFor - returns a client of the service by a token, for this watch alone */
  constructor(serviceFor: (token: string) => AutoTerminal) {
    this.#serviceFor = serviceFor;
  }

  /** Calls `onEnded` once the token has ended, until the returned function is called. */
  follow(token: string, onEnded: () => void): () => void {
    const watch = this.#watches.get(token) ?? this.#begin(token);
    watch.onEnded.add(onEnded);
    return () => {
      watch.onEnded.delete(onEnded);
      if (watch.onEnded.size === 0) this.#end(token, watch);
    };
  }

  #begin(token: string): Watch {
    const watch: Watch = { onEnded: new Set(), stop: new AbortController() };
    this.#watches.set(token, watch);
    const service = this.#serviceFor(token);
    void untilEnded(service, watch.stop.signal).then((hasEnded) => {
      service.close();
      this.#end(token, watch);
      if (hasEnded) for (const onEnded of [...watch.onEnded]) onEnded();
    });
    return watch;
  }

  #end(token: string, watch: Watch): void {
    watch.stop.abort();
    if (this.#watches.get(token) === watch) this.#watches.delete(token);
  }
}

/** Resolves with true once the service refuses the token, and with false when the signal fires. */
async function untilEnded(service: AutoTerminal, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    const beganAt = performance.now();
    try {
      await service.tokens.self({ waitMs: TOKEN_WATCH_MS, signal });
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return true;
      // Other failures say nothing about the token: the service may be restarting.
    }
    if (signal.aborted) return false;
    // A service that is down, or that does not hold the request, is not asked again at once.
    if (performance.now() - beganAt < TOKEN_WATCH_PAUSE_MS)
      await pause(TOKEN_WATCH_PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
