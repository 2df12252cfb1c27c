import { z } from 'zod';
import { Selector } from './labels.js';
import {
  DEFAULT_TOKEN_MS,
  MAX_LABEL_CHARS,
  MAX_TOKEN_MS,
  MAX_TOKEN_OVERLAP_MS,
  MAX_TOKEN_RATE,
  MAX_TOKEN_TERMINALS,
  MAX_WAIT_MS,
  MIN_TOKEN_MS,
} from './limits.js';

/** Verbs that a token may allow. None includes another, but `admin` includes all. */
export const Verb = z.enum(['read', 'type', 'run', 'control', 'record', 'search', 'takeover', 'admin']);
export type Verb = z.infer<typeof Verb>;

/** The section `access` of the settings. */
export const accessSettings = {
  mode: z
    .enum(['open', 'guarded'])
    .describe(
      '`open`: every client that is served may do everything. `guarded`: each request needs a token, which says what it may do',
    ),
};

/** Values of {@link accessSettings} that the config file leaves out. */
export const DEFAULT_ACCESS = { mode: 'open' } as const;

const verbs = z
  .array(Verb)
  .min(1, 'must name at least one verb')
  .transform((named) => Verb.options.filter((verb) => named.includes(verb)))
  .describe(
    'What it allows. `read`: lists, output, screens, events, waits. `type`: input, keys, prompts, leases. `run`: commands ' +
      'and their results. `control`: create, close, label, resize, signal. `record`: recordings. `search`: the search ' +
      'index. `takeover`: take over leases, and type as a person. `admin`: everything, tokens and settings too',
  );

const expiresInMs = z.int().min(MIN_TOKEN_MS).max(MAX_TOKEN_MS);

const maxTerminals = z
  .int()
  .min(0)
  .max(MAX_TOKEN_TERMINALS)
  .describe('Terminals created with it, or with tokens made from it, that may run at once');

const ratePerMinute = z
  .int()
  .min(1)
  .max(MAX_TOKEN_RATE)
  .describe(
    'Requests and messages of WebSockets that it may send, with tokens made from it: so many at once, and as many more ' +
      'each minute. Beyond that the answer is 429 `token-rate`',
  );

/** Body of `POST /api/tokens`. */
export const TokenBody = z
  .strictObject({
    name: z.string().min(1).max(MAX_LABEL_CHARS).describe('For readers, and for the audit log'),
    verbs,
    selector: Selector.optional().describe(
      'Binds it to the terminals that have all of these labels, such as `team=a`. What it creates gets the labels',
    ),
    own: z
      .literal(true)
      .optional()
      .describe('Binds it to the terminals that were created with it, or with tokens made from it'),
    expiresInMs: expiresInMs.default(DEFAULT_TOKEN_MS).describe(`Defaults to ${DEFAULT_TOKEN_MS}: a day`),
    maxTerminals: maxTerminals.optional(),
    ratePerMinute: ratePerMinute.optional(),
  })
  .refine(({ selector, own }) => selector === undefined || own === undefined, {
    path: ['own'],
    message: 'cannot be given together with selector',
  })
  .refine(({ verbs: named, selector, own }) => !named.includes('admin') || (!selector && !own), {
    path: ['verbs'],
    message: 'admin cannot be bound to some terminals',
  })
  .meta({ id: 'TokenBody' });
export type TokenBody = z.infer<typeof TokenBody>;

/** Body of `POST /api/tokens/:id/rotate`; every field is optional. */
export const RotateBody = z
  .strictObject({
    overlapMs: z
      .int()
      .min(0)
      .max(MAX_TOKEN_OVERLAP_MS)
      .default(0)
      .describe(
        'Milliseconds for which the text so far still counts; 0: it ends at once, with all that is open with it',
      ),
    expiresInMs: expiresInMs.optional().describe('When it expires from now on; as before when absent'),
  })
  .prefault({})
  .meta({ id: 'RotateBody' });
export type RotateBody = z.infer<typeof RotateBody>;

/** Rights that a client gives the program of a new terminal, by a token in its environment. */
export const Grant = z
  .strictObject({
    verbs: verbs.refine((named) => !named.includes('admin'), 'must not include admin'),
    maxTerminals: maxTerminals.optional(),
  })
  .meta({
    id: 'Grant',
    description:
      "Puts a token into the variable AUTO_TERMINAL_TOKEN of the terminal's program. It reaches this terminal and those " +
      'created with it, ends with the terminal, and is shown nowhere',
  });
export type Grant = z.infer<typeof Grant>;

/** A token, without the text that is shown once. */
export const Token = z
  .object({
    id: z.string(),
    name: z.string(),
    verbs: z.array(Verb),
    selector: z
      .string()
      .nullable()
      .describe('Labels of the terminals that it is bound to; null: whatever the labels'),
    own: z.boolean().describe('Whether it is bound to the terminals that were created with it'),
    terminalId: z
      .string()
      .nullable()
      .describe('The terminal whose program has it by `grant`, and with which it ends'),
    madeWith: z
      .string()
      .nullable()
      .describe('Id of the token with which it was made; it ends with that one, too'),
    createdAt: z.int().describe('Epoch milliseconds'),
    expiresAt: z.int().nullable().describe('Epoch milliseconds; null: ends with its terminal'),
    maxTerminals: z.int().nullable(),
    ratePerMinute: z.int().nullable(),
    lastUsedAt: z
      .int()
      .nullable()
      .describe(
        'Epoch milliseconds of its last request since the service has started; null if there was none',
      ),
  })
  .meta({ id: 'Token' });
export type Token = z.infer<typeof Token>;

/** Answer of `POST /api/tokens` and of a rotation. */
export const CreatedToken = Token.extend({
  token: z
    .string()
    .describe('Send it as `Authorization: Bearer`. It is shown in this answer and never again'),
}).meta({ id: 'CreatedToken' });
export type CreatedToken = z.infer<typeof CreatedToken>;

/** Answer of `GET /api/tokens`. */
export const TokenList = z.object({ tokens: z.array(Token) });

/** Query of `GET /api/tokens/self`. */
export const SelfQuery = z.object({
  waitMs: z.coerce
    .number()
    .int()
    .min(0)
    .max(MAX_WAIT_MS)
    .default(0)
    .describe(
      'Milliseconds after which to answer. The request is broken off if the token ends before: for a program that keeps ' +
        'something open for the client',
    ),
});

/** Answer of `GET /api/tokens/self`. */
export const OwnAccess = z
  .object({
    mode: z.enum(['open', 'guarded']),
    verbs: z.array(Verb).describe('What the client may do'),
    token: Token.nullable().describe('The token that the request shows; null for one that may do everything'),
  })
  .meta({ id: 'OwnAccess' });
export type OwnAccess = z.infer<typeof OwnAccess>;

/** Verbs and reach that a route needs of a token. */
export interface Need {
  /** Verbs that the token must all allow; with none, any token will do. */
  verbs: readonly Verb[];
  reach: Reach;
}

/**
 * How a route treats a token that is bound to some terminals. `open`: needs no token. `none`: the route is about no
 * terminal. `terminal`: it is about the terminal of its path. `filtered`: its handler checks each terminal. `whole`:
 * such a token is refused.
 */
export type Reach = 'open' | 'none' | 'terminal' | 'filtered' | 'whole';
