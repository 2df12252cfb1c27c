import type { TokenInfo, TokenOptions } from '../../../src/client/browser.js';
import { plainLabel } from '../fleet/words.js';

/** Verbs of a token, each with its meaning. */
export const VERBS: ReadonlyArray<[verb: TokenOptions['verbs'][number], words: string]> = [
  ['read', 'see terminals and their output'],
  ['type', 'type, and take leases'],
  ['run', 'run commands'],
  ['control', 'create, close, label, resize'],
  ['record', 'recordings'],
  ['search', 'the search index'],
  ['takeover', 'take over leases, type as a person'],
  ['admin', 'everything, settings and tokens too'],
];

const HOUR_MS = 3_600_000;

/** Lifetimes of a token. */
export const LIVES: ReadonlyArray<[words: string, ms: number]> = [
  ['an hour', HOUR_MS],
  ['a day', 24 * HOUR_MS],
  ['30 days', 30 * 24 * HOUR_MS],
  ['a year', 365 * 24 * HOUR_MS],
];

/** Returns in words the terminals to which a token is bound. */
export function wordsOfReach({ selector, own, terminalId }: TokenInfo): string {
  if (terminalId !== null) return 'its own terminal, and those created with it';
  if (selector !== null) return plainLabel(selector);
  return own ? 'those created with it' : 'all';
}

/** Form fields of a new token. */
export interface TokenDraft {
  name: string;
  verbs: ReadonlySet<string>;
  reach: 'all' | 'labels' | 'own';
  selector: string;
  lifeMs: number;
  /** Most terminals at once; empty: no limit of the token's own. */
  maxTerminals: string;
}

export const NEW_TOKEN: TokenDraft = {
  name: '',
  verbs: new Set(['read']),
  reach: 'all',
  selector: '',
  lifeMs: 24 * HOUR_MS,
  maxTerminals: '',
};

/** Returns the token that a draft asks for. */
export function tokenOf({ name, verbs, reach, selector, lifeMs, maxTerminals }: TokenDraft): TokenOptions {
  return {
    name,
    verbs: VERBS.map(([verb]) => verb).filter((verb) => verbs.has(verb)),
    ...(reach === 'labels' && { selector: selector.trim() }),
    ...(reach === 'own' && { own: true as const }),
    expiresInMs: lifeMs,
    ...(maxTerminals !== '' && { maxTerminals: Number(maxTerminals) }),
  };
}
