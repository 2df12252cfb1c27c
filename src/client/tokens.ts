import type { CallOptions, Requests } from './requests.js';
import type { CreatedToken, OwnAccess, RotateOptions, TokenInfo, TokenOptions } from './types.js';

/** What clients may do in guarded mode. */
export class Tokens {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Resolves with the tokens that are valid, oldest first. */
  async list(call: CallOptions = {}): Promise<TokenInfo[]> {
    return (await this.#requests.get<{ tokens: TokenInfo[] }>('/api/tokens', call)).tokens;
  }

  /**
   * Resolves with what this client may do, after `waitMs` if given; the service breaks that off if the token ends.
   */
  self({ waitMs, signal }: { waitMs?: number } & CallOptions = {}): Promise<OwnAccess> {
    return this.#requests.get('/api/tokens/self', { query: { waitMs }, signal });
  }

  /** Resolves with the token and its text, which is shown this once. */
  create(token: TokenOptions, call: CallOptions = {}): Promise<CreatedToken> {
    return this.#requests.post('/api/tokens', { ...call, body: token });
  }

  /** Gives a token another text, which is shown this once; the text so far ends at once, or after `overlapMs`. */
  rotate(id: string, { signal, ...body }: RotateOptions & CallOptions = {}): Promise<CreatedToken> {
    return this.#requests.post(`/api/tokens/${encodeURIComponent(id)}/rotate`, { body, signal });
  }

  /** Breaks off, too, what is open with the token and with those made from it. */
  async delete(id: string, call: CallOptions = {}): Promise<void> {
    await this.#requests.json('DELETE', `/api/tokens/${encodeURIComponent(id)}`, call);
  }
}
