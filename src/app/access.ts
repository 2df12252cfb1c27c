import type { Logger } from 'pino';
import { TOKEN_CODEC } from '../actors/access/kept-token.js';
import { OpenConnections } from '../actors/access/open-connections.js';
import { TokenRates } from '../actors/access/token-rates.js';
import { Tokens } from '../actors/access/tokens.js';
import { ACTING, type Store } from '../store/store.js';

/** The tokens of guarded mode, and the connections that are open with them. */
export interface AccessState {
  tokens: Tokens;
  connections: OpenConnections;
  rates: TokenRates;
}

/** Opens the tokens of the store. */
export function openAccess(store: Store, logger: Logger): AccessState {
  const connections = new OpenConnections();
  const tokens = new Tokens({
    collection: store.collection(ACTING.tokens, TOKEN_CODEC),
    onEnded: (id) => {
      connections.end(id);
      rates.ended(id);
    },
    onRotated: (id) => connections.recheck(id),
    onFault: (err) => logger.error({ err }, 'a token that has ended could not be removed from the store'),
  });
  const rates = new TokenRates(tokens);
  return { tokens, connections, rates };
}
