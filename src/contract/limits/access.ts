/** Tokens of clients: their number, their lifetime, and how far they are passed on. */

/** Tokens that clients have made and that are kept at once; tokens of terminals are counted apart. */
export const MAX_TOKENS = 1_000;

/** Tokens that were made for the programs of terminals, kept at once: one for each of the most terminals, and more. */
export const MAX_GRANTS = 5_000;

/** How long a token lasts: one day unless the client says otherwise, at most a year. */
export const DEFAULT_TOKEN_MS = 86_400_000;
export const MAX_TOKEN_MS = 31_536_000_000;
export const MIN_TOKEN_MS = 1_000;

/** Longest time for which the text before a rotation still counts: clients get the new text meanwhile. */
export const MAX_TOKEN_OVERLAP_MS = 604_800_000;

/** Requests a minute that a token's `ratePerMinute` may name. */
export const MAX_TOKEN_RATE = 1_000_000;

/** Terminals that a token's `maxTerminals` may name. */
export const MAX_TOKEN_TERMINALS = 10_000;

/** Longest chain of tokens, each made with the previous token; a longer chain is refused. */
export const MAX_GRANT_DEPTH = 8;

/** Bytes of randomness in a token. */
export const TOKEN_SECRET_BYTES = 32;

/** Terminals that are gone and whose labels and makers are remembered, for events about them: as many as events. */
export const MAX_GONE_TERMINALS = 10_000;
