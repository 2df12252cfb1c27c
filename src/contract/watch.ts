import { z } from 'zod';
import { Selector } from './labels.js';
import {
  DEFAULT_WATCH_DEBOUNCE_MS,
  DEFAULT_WATCH_EVENTS_PER_MINUTE,
  MAX_PATTERN_CHARS,
  MAX_WATCH_ACTIONS,
  MAX_WATCH_DEBOUNCE_MS,
  MAX_WATCH_EVENTS_PER_MINUTE,
  MAX_WATCH_LIFE_MS,
  MAX_WATCH_TERMINALS,
  MIN_REGEX_LITERAL_CHARS,
} from './limits.js';
import { literalOf } from './regex-literal.js';
import { commandText, label } from './strings.js';

const isOneLine = (text: string) => !/[\r\n\0]/.test(text);

/** Action on a match, besides its event. */
export const WatchAction = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('event') }).describe('Nothing else: each match is an event in any case'),
    z.object({
      type: z.literal('webhook'),
      webhookId: z.string().describe('Posts the events of this watch, whatever the types of the webhook'),
    }),
    z.object({
      type: z.literal('input'),
      terminalId: z.string().describe('The terminal that is typed into, such as that of an orchestrator'),
      text: commandText
        .max(MAX_PATTERN_CHARS)
        .refine(isOneLine, 'must be one line')
        .describe(
          'One line, which is typed and submitted once the agent of the terminal is idle or its shell is at its prompt. ' +
            '`{terminalId}` stands for the terminal of the latest match, `{count}` for the matches since the line before',
        ),
    }),
  ])
  .meta({ id: 'WatchAction' });
export type WatchAction = z.infer<typeof WatchAction>;

/** Body of `POST /api/watches`. */
export const WatchBody = z
  .object({
    name: label.optional().describe('For readers'),
    selector: Selector.optional().describe(
      'Watches the terminals that have all of these labels, also those created later. Without it and `terminals`: all terminals',
    ),
    terminals: z
      .array(z.string())
      .min(1, 'must name at least one terminal')
      .max(MAX_WATCH_TERMINALS)
      .optional()
      .describe('Watches these terminals'),
    text: z
      .string()
      .min(1)
      .max(MAX_PATTERN_CHARS)
      .refine(isOneLine, 'must be one line')
      .optional()
      .describe('The text to find in a line, as it is'),
    regex: z
      .string()
      .min(1)
      .max(MAX_PATTERN_CHARS)
      .optional()
      .describe(
        `In place of \`text\`: a JavaScript regular expression, flags \`mu\`, tried on each line that has its longest plain text. It must have at least ${MIN_REGEX_LITERAL_CHARS} plain characters in a row, outside of groups and without alternatives`,
      ),
    debounceMs: z
      .int()
      .min(0)
      .max(MAX_WATCH_DEBOUNCE_MS)
      .default(DEFAULT_WATCH_DEBOUNCE_MS)
      .describe('Matches in one terminal within this time after an event become one event, at its end'),
    maxPerMinute: z
      .int()
      .min(1)
      .max(MAX_WATCH_EVENTS_PER_MINUTE)
      .default(DEFAULT_WATCH_EVENTS_PER_MINUTE)
      .describe(
        'Most events about one terminal within a minute; further matches are gathered for the next one',
      ),
    once: z.boolean().default(false).describe('Ends the watch with its first event'),
    expiresInMs: z
      .int()
      .min(1)
      .max(MAX_WATCH_LIFE_MS)
      .optional()
      .describe('Ends the watch after this time; without it, it stands until it is deleted'),
    actions: z.array(WatchAction).max(MAX_WATCH_ACTIONS).default([]),
  })
  .refine(({ text, regex }) => (text === undefined) !== (regex === undefined), 'takes either text or regex')
  .refine(
    ({ selector, terminals }) => selector === undefined || terminals === undefined,
    'takes either selector or terminals',
  )
  .superRefine(({ regex }, context) => {
    const fault = regex === undefined ? undefined : faultOf(regex);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: `regex: ${fault}` });
  })
  .meta({ id: 'WatchBody' });
export type WatchBody = z.infer<typeof WatchBody>;

/** Returns what is wrong with an expression; undefined if nothing is. */
function faultOf(regex: string): string | undefined {
  try {
    new RegExp(regex, 'mu');
  } catch (error) {
    return (error as Error).message;
  }
  if (literalOf(regex).length >= MIN_REGEX_LITERAL_CHARS) return undefined;
  return `must have at least ${MIN_REGEX_LITERAL_CHARS} plain characters in a row, outside of groups and without alternatives`;
}

/** The last match that a watch has reported. */
const LastMatch = z.object({
  terminalId: z.string(),
  text: z.string().describe('The line, its beginning if it is long'),
  at: z.int(),
});

/** A line that is to be typed, and the reason why it was not typed yet. */
const WaitingInput = z.object({
  terminalId: z.string(),
  count: z.int().describe('Matches that the line stands for'),
  since: z.int().describe('When it began to wait'),
  reason: z
    .enum(['busy', 'waiting', 'gone', 'unknown'])
    .describe(
      '`busy`: the agent works, a command runs, or somebody else types or has the lease. `waiting`: the agent has a ' +
        'question, which a line would answer. `gone`: there is no such terminal. `unknown`: it cannot be told whether the ' +
        'terminal is idle',
    ),
});

/** A standing search. */
export const Watch = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    selector: z.string().nullable(),
    terminals: z.array(z.string()).nullable(),
    text: z.string().nullable(),
    regex: z.string().nullable(),
    debounceMs: z.int(),
    maxPerMinute: z.int(),
    once: z.boolean(),
    actions: z.array(WatchAction),
    createdAt: z.int(),
    expiresAt: z.int().nullable(),
    matches: z.int().describe('Lines that have matched since it was created'),
    events: z.int().describe('Events that have told of them'),
    lastMatch: LastMatch.nullable(),
    gaps: z
      .int()
      .describe(
        'Times that output was printed, or may have been, while nothing was watched: a shard or the service ended',
      ),
    leftOut: z
      .int()
      .describe('Lines on which the regular expression was not tried, since there were too many'),
    ended: z
      .enum(['once', 'expired'])
      .nullable()
      .describe('Why it searches no longer; it is listed until there are too many watches'),
    isTooSlow: z.boolean().describe('Whether the regular expression took too long on some line'),
    waitingInput: z.array(WaitingInput).describe('Lines of actions that wait for their terminal to be idle'),
  })
  .meta({ id: 'Watch' });
export type Watch = z.infer<typeof Watch>;

/** Answer of `GET /api/watches`. */
export const WatchList = z.object({ watches: z.array(Watch) });
