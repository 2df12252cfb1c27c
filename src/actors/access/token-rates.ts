import { DomainError } from '../../contract/errors.js';
import { TokenBucket } from '../../workers/token-bucket.js';
import type { Holder } from './kept-token.js';
import type { Tokens } from './tokens.js';

const MS_PER_MINUTE = 60_000;

/** Requests that tokens may still send: a budget for each token with `ratePerMinute`, full at the start. */
export class TokenRates {
  readonly #tokens: Pick<Tokens, 'byId'>;
  readonly #now: () => number;
  readonly #budgets = new Map<string, TokenBucket>();

  /** @param now - milliseconds of a monotonic clock */
  constructor(tokens: Pick<Tokens, 'byId'>, now: () => number = () => performance.now()) {
    this.#tokens = tokens;
    this.#now = now;
  }

  /** Counts a request for a token and for the tokens that it was made from. Throws token-rate, and then counts nothing. */
  take({ id, madeWith }: Holder): void {
    const limited = [id, ...madeWith].flatMap((each) => {
      const { ratePerMinute = null } = this.#tokens.byId(each) ?? {};
      return ratePerMinute === null ? [] : [{ budget: this.#budgetOf(each, ratePerMinute), ratePerMinute }];
    });
    for (const { budget, ratePerMinute } of limited) {
      if (budget.has(1)) continue;
      // By then one more request may pass, unless another client of the token sends one first.
      const retryAfterMs = Math.ceil(MS_PER_MINUTE / ratePerMinute);
      throw new DomainError('token-rate', `The token may send ${ratePerMinute} requests a minute`, {
        details: { retryAfterMs },
      });
    }
    for (const { budget } of limited) budget.take(1);
  }

  /** Forgets a token that has ended. */
  ended(id: string): void {
    this.#budgets.delete(id);
  }

  #budgetOf(id: string, ratePerMinute: number): TokenBucket {
    const known = this.#budgets.get(id);
    if (known) return known;
    const budget = new TokenBucket({ perSecond: ratePerMinute / 60, burst: ratePerMinute }, this.#now);
    this.#budgets.set(id, budget);
    return budget;
  }
}
