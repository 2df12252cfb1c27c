import { createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { DomainError } from '../../contract/errors.js';
import { MAX_SESSIONS, SESSION_ID_BYTES, SESSION_IDLE_MS } from '../../contract/limits.js';
import { isToken } from '../token.js';
import { LoginTries } from './login-tries.js';
import { isFromOwnPage } from './own-page.js';

export interface SessionsOptions {
  /** Whether each client needs a token, and the token of the service. */
  access: () => { needsToken: boolean; authToken: string | undefined };
  /** Names of cookies do not depend on the port, so the port is part of the name. */
  port: () => number;
  instanceId: string;
  /** Returns the milliseconds of a monotonic clock. */
  now?: () => number;
}

interface Session {
  usedAt: number;
  /** The token that the session was begun with. Another token ends the session. */
  token: string;
}

/** A login that was let in, or the reason and the milliseconds to wait. */
export type Login = { cookie: string | undefined } | { refusal: DomainError; waitMs: number };

/** Sessions of browsers while each client needs a token. They are in memory only, so a restart ends them. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #now: () => number;
  readonly #tries = new LoginTries();
  /** Sessions by the hash of the cookie's value; the session that has been idle for longest comes first. */
  readonly #sessions = new Map<string, Session>();

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Whether the dashboard needs a session now. */
  get isNeeded(): boolean {
    return this.#options.access().needsToken;
  }

  /**
   * Returns whether the request shows a session, which then is no longer idle. Call only for requests of the dashboard.
   */
  isShownBy(headers: IncomingHttpHeaders): boolean {
    const key = this.#keyOf(headers);
    const session = key === undefined ? undefined : this.#sessions.get(key);
    if (key === undefined || session === undefined) return false;
    const now = this.#now();
    if (session.token !== this.#options.access().authToken) return false;
    this.#sessions.delete(key);
    if (now - session.usedAt >= SESSION_IDLE_MS) return false;
    this.#sessions.set(key, { ...session, usedAt: now });
    return true;
  }

  /** Begins a session if the token is right; while no client needs a token, begins none and sets no cookie. */
  begin(given: string | undefined, address: string): Login {
    const { needsToken, authToken } = this.#options.access();
    if (!needsToken) return { cookie: undefined };
    const now = this.#now();
    const waitMs = this.#tries.waitOf(address, now);
    if (waitMs > 0) return { refusal: new DomainError('too-many-tries'), waitMs };
    if (authToken === undefined || !isToken(given, authToken)) {
      this.#tries.note(address, now);
      return { refusal: new DomainError('unauthorized'), waitMs: 0 };
    }
    const id = randomBytes(SESSION_ID_BYTES).toString('hex');
    for (const [key] of this.#sessions) if (this.#sessions.size >= MAX_SESSIONS) this.#sessions.delete(key);
    this.#sessions.set(hashOf(id), { usedAt: now, token: authToken });
    return { cookie: this.#cookie(id) };
  }

  /** Ends the session that the request shows, and returns the cookie that makes the browser forget its own. */
  end(headers: IncomingHttpHeaders): string {
    const key = this.#keyOf(headers);
    if (key !== undefined) this.#sessions.delete(key);
    return `${this.#cookie('')}; Max-Age=0`;
  }

  /** Moves the session that asked for another token over to it. All other sessions end with the old token. */
  carryOver(headers: IncomingHttpHeaders, before: string | undefined, token: string): void {
    const key = this.#keyOf(headers);
    const session = key === undefined ? undefined : this.#sessions.get(key);
    if (key !== undefined && session?.token === before)
      this.#sessions.set(key, { usedAt: this.#now(), token });
  }

  get #name(): string {
    return `at_${this.#options.instanceId.slice(0, 8)}_${this.#options.port()}`;
  }

  #cookie(value: string): string {
    return `${this.#name}=${value}; HttpOnly; SameSite=Strict; Path=/`;
  }

  /** Returns the key of the cookie; undefined without a cookie, or where the page may be another server's. */
  #keyOf(headers: IncomingHttpHeaders): string | undefined {
    if (!isFromOwnPage(headers)) return undefined;
    const prefix = `${this.#name}=`;
    const cookies = headers.cookie?.split(';').map((each) => each.trim()) ?? [];
    const own = cookies.find((each) => each.startsWith(prefix));
    return own === undefined ? undefined : hashOf(own.slice(prefix.length));
  }
}

/** Sessions are found by a hash, so the time of the look-up reveals nothing of their values. */
function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}
