import { Access } from '#dist/actors/access/access.js';
import type { KeptToken } from '#dist/actors/access/kept-token.js';
import { OpenConnections } from '#dist/actors/access/open-connections.js';
import { TokenRates } from '#dist/actors/access/token-rates.js';
import { Tokens, type TokensOptions } from '#dist/actors/access/tokens.js';
import type { Terminals } from '#dist/actors/terminals.js';
import type { Collection } from '#dist/store/store.js';

/** Returns a collection that is kept only in memory. */
export function memoryCollection<T>(): Collection<T> {
  const values = new Map<string, T>();
  return {
    all: () => values,
    get: (id) => values.get(id),
    put: async (id, value) => void values.set(id, value),
    remove: async (id) => void values.delete(id),
  };
}

/** Returns tokens that are kept only in memory. */
export function newTokens(options: Partial<TokensOptions> = {}): Tokens {
  const onFault = (error: unknown) => {
    throw error;
  };
  return new Tokens({
    collection: memoryCollection<KeptToken>(),
    onEnded: () => {},
    onRotated: () => {},
    onFault,
    ...options,
  });
}

const NO_TERMINALS: Pick<Terminals, 'list' | 'startOf'> = {
  list: () => [],
  startOf: () => {
    throw new Error('there is no terminal');
  },
};

/** Returns access as in open mode, without tokens. */
export function openAccess(): { access: Access; terminalOf: () => Promise<null> } {
  const tokens = newTokens();
  const rates = new TokenRates(tokens);
  const parts = { tokens, rates, connections: new OpenConnections(), terminals: NO_TERMINALS };
  return { access: new Access({ ...parts, isGuarded: () => false }), terminalOf: async () => null };
}
