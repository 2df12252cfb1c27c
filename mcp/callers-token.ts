import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, type AutoTerminal } from '../src/client/index.js';
import { OwnAccess, type Verb } from '../src/contract/access.js';
import { DomainError } from '../src/contract/errors.js';
import type { SidecarSettings } from '../src/contract/sidecar.js';
import { bearerOf, isToken } from '../src/gateway/token.js';
import { answered, connectService } from './service.js';
import { TokenWatch } from './token-watch.js';

/** Prefix of the tokens of guarded mode; the service's own token does not have it. */
const TOKEN = /^at_/;

/** The service as one caller may use it. */
export interface OwnService {
  service: AutoTerminal;
  /** Call once the caller's call is over. */
  release(): void;
}

/** Returns whether a text may be a token of guarded mode; only the service can check it. */
export function mayBeToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Calls the service with the caller's own token if it sends one, so that the caller gets no more rights than that token has. */
export class CallersToken {
  readonly #settings: () => SidecarSettings;
  readonly #shared: AutoTerminal;
  readonly #watch: TokenWatch;
  /** Services of the calls in work, by the callers' own tokens. */
  readonly #inUse = new Set<AutoTerminal>();
  #isClosed = false;

  /** @param shared - the service by the tool server's own token */
  constructor(settings: () => SidecarSettings, shared: AutoTerminal) {
    this.#settings = settings;
    this.#shared = shared;
    this.#watch = new TokenWatch((token) => this.#connect(token));
  }

  /** Returns the service for a caller with these headers. */
  serviceFor(headers: IncomingHttpHeaders | Record<string, unknown> | undefined): OwnService {
    const token = this.#tokenIn(headers);
    if (token === undefined) return { service: this.#shared, release: () => undefined };
    const service = this.#connect(token);
    this.#inUse.add(service);
    if (this.#isClosed) service.close();
    const release = () => {
      this.#inUse.delete(service);
      service.close();
    };
    return { service, release };
  }

  /** Fails the calls in work, and all later ones, with ClosedError. */
  close(): void {
    this.#isClosed = true;
    this.#shared.close();
    for (const service of this.#inUse) service.close();
  }

  /**
   * Calls `onEnded` once the token of a caller has ended, until the returned function is called. Without a token of the
   * caller's own, `onEnded` is never called.
   */
  whenEnded(headers: IncomingHttpHeaders, onEnded: () => void): () => void {
    const token = this.#tokenIn(headers);
    return token === undefined ? () => undefined : this.#watch.follow(token, onEnded);
  }

  /** Resolves with a caller's verbs; undefined for a caller that may do everything. Rejects with the client's errors. */
  async verbsOf(
    headers: IncomingHttpHeaders | Record<string, unknown> | undefined,
  ): Promise<readonly Verb[] | undefined> {
    const sent = this.#tokenIn(headers) ?? this.#settings().token;
    if (sent === undefined || !mayBeToken(sent)) return undefined;
    const { service, release } = this.serviceFor(headers);
    try {
      return (await answered(OwnAccess, service.request('GET', '/api/tokens/self'))).verbs;
    } finally {
      release();
    }
  }

  /** Resolves with whether the service knows the caller. Rejects with unavailable where it does not answer. */
  async isKnown(headers: IncomingHttpHeaders): Promise<boolean> {
    // The guard may have accepted a token in the query. Calls use only the bearer, and without a bearer they would use
    // the tool server's own token.
    if (bearerOf(headers) === undefined) return false;
    try {
      await this.verbsOf(headers);
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return false;
      throw new DomainError('unavailable', undefined, { cause: error });
    }
  }

  #connect(token: string): AutoTerminal {
    return connectService(() => ({ ...this.#settings(), token }));
  }

  /** Returns the caller's own token, if it is a token of guarded mode. */
  #tokenIn(headers: IncomingHttpHeaders | Record<string, unknown> | undefined): string | undefined {
    const { isGuarded, token } = this.#settings();
    const { authorization } = headers ?? {};
    const shown = typeof authorization === 'string' ? bearerOf({ authorization }) : undefined;
    if (!isGuarded || shown === undefined) return undefined;
    return token !== undefined && isToken(shown, token) ? undefined : shown;
  }
}
