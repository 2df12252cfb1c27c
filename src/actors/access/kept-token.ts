import { createHash, randomBytes, randomInt } from 'node:crypto';
import { z } from 'zod';
import { type Token, Verb } from '../../contract/access.js';
import { Labels, textOfSelector } from '../../contract/labels.js';
import { TOKEN_SECRET_BYTES } from '../../contract/limits.js';
import type { Codec } from '../../store/store.js';

/** A token as it is stored: never its text. */
const KeptToken = z.object({
  name: z.string(),
  /**
   * SHA-256 of each text. There are several if the creation of a terminal was repeated, since the repetition cannot
   * know the text that the first attempt may have given to the program.
   */
  hashes: z.array(z.string()).min(1),
  /** SHA-256 of texts from before a rotation, and the time until which each is valid, in epoch milliseconds. */
  former: z.array(z.object({ hash: z.string(), until: z.int() })).default([]),
  verbs: z.array(Verb),
  selector: Labels.nullable(),
  own: z.boolean(),
  terminalId: z.string().nullable(),
  /** Ids of the tokens from which it was made, the nearest first. */
  madeWith: z.array(z.string()),
  createdAt: z.int(),
  expiresAt: z.int().nullable(),
  maxTerminals: z.int().nullable(),
  ratePerMinute: z.int().nullable().default(null),
});
export type KeptToken = z.infer<typeof KeptToken>;

export const TOKEN_CODEC: Codec<KeptToken> = { version: 1, schema: KeptToken };

/** A valid token. */
export interface Holder extends KeptToken {
  id: string;
}

/** A token whose text a client has shown. */
export interface ShownToken extends Holder {
  /** Hash of that text. */
  hash: string;
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

export function newTokenId(): string {
  return `tok_${Array.from({ length: 12 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
}

/** Returns the text of a new token. */
export function newTokenText(): string {
  return `at_${randomBytes(TOKEN_SECRET_BYTES).toString('base64url')}`;
}

/** Returns the hash by which a token is found, so that the time of the look-up reveals nothing about its text. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Returns a token as clients see it. */
export function toToken(holder: Holder, lastUsedAt: number | null): Token {
  const { id, name, verbs, selector, own, terminalId, madeWith } = holder;
  const { createdAt, expiresAt, maxTerminals, ratePerMinute } = holder;
  return {
    ...{ id, name, verbs, own, terminalId, createdAt, expiresAt, maxTerminals, ratePerMinute, lastUsedAt },
    selector: selector && textOfSelector(selector),
    madeWith: madeWith[0] ?? null,
  };
}
