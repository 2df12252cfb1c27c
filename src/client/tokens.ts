import type { CallOptions, Requests } from './requests.js';
import { segment } from './segment.js';
import type { CreatedToken, OwnAccess, RotateOptions, TokenInfo, TokenOptions } from './types.js';

/** Tokens of guarded mode, which decide what clients may do. */
export class Tokens {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Resolves with the tokens that are valid, oldest first. */
  async list(call: CallOptions = {}): Promise<TokenInfo[]> {
    return (await this.#requests.get<{ tokens: TokenInfo[] }>('/api/tokens', call)).tokens;
  }

  /** Resolves with this client's rights, after `waitMs` if given; the service ends the wait if the token ends. */
  self({ waitMs, signal }: { waitMs?: number } & CallOptions = {}): Promise<OwnAccess> {
    return this.#requests.get('/api/tokens/self', { query: { waitMs }, signal });
  }

  /** Resolves with the token and its text, which is shown this once. */
  create(token: TokenOptions, call: CallOptions = {}): Promise<CreatedToken> {
    return this.#requests.post('/api/tokens', { ...call, body: token });
  }

  /** Gives a token a new text, which is shown this once; the old text ends at once, or after `overlapMs`. */
  rotate(id: string, { signal, ...body }: RotateOptions & CallOptions = {}): Promise<CreatedToken> {
    return this.#requests.post(`/api/tokens/${segment(id)}/rotate`, { body, signal });
  }

  /** Deletes the token; also breaks off everything that is open with it, or with tokens made from it. */
  async delete(id: string, call: CallOptions = {}): Promise<void> {
    await this.#requests.json('DELETE', `/api/tokens/${segment(id)}`, call);
  }
}
