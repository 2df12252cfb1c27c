import { z } from 'zod';
import { Selector } from './labels.js';
import {
  MAX_LABEL_CHARS,
  MAX_PROMPT_CHARS,
  MAX_PROMPT_WAIT_MS,
  PROMPT_VERIFY_MS,
  SHOWN_PROMPT_CHARS,
} from './limits.js';
import { Principal } from './principal.js';
import { commandText } from './strings.js';

/** State of its terminal that a prompt waits for. */
const PromptWhen = z.enum(['agent-idle', 'command-end', 'free']);

/** States of a queued prompt, and of a prompt that has ended. */
export const PromptState = z.enum([
  'queued',
  'typing',
  'submitted',
  'stalled',
  'expired',
  'cancelled',
  'terminal-gone',
  'unknown',
]);
export type PromptState = z.infer<typeof PromptState>;

/** States of a prompt that has ended. */
export type PromptEnd = Exclude<PromptState, 'queued' | 'typing'>;

/** Why a prompt has its state. */
const PromptReason = z.enum([
  'requested',
  'token-ended',
  'unknown-cli-type',
  'no-reaction',
  'not-told',
  'agent-gone',
  'terminal-gone',
  'restarted',
  'outcome-unknown',
]);
export type PromptReason = z.infer<typeof PromptReason>;

const time = z.int().min(0);
const span = z.int().min(0).max(MAX_PROMPT_WAIT_MS);

/** Body of `POST /api/terminals/:id/prompts`. */
export const PromptBody = z
  .object({
    prompt: commandText
      .max(MAX_PROMPT_CHARS)
      .describe('The text; it is pasted, so that its line feeds submit nothing, and then submitted'),
    when: PromptWhen.default('free').describe(
      '`agent-idle`: the coding agent is idle, by a look at its screen just before. `command-end`: the shell is at its ' +
        'prompt, with nothing typed. `free`: whichever of these comes first. Where neither can be known, as with a program ' +
        'that is no agent, it waits until it expires',
    ),
    at: time.optional().describe('Not before this time, in epoch milliseconds'),
    afterMs: span.optional().describe('In place of `at`: not before so many milliseconds from now'),
    expiresAt: time.optional().describe('Nothing is typed from this time on, in epoch milliseconds'),
    expiresInMs: span.optional().describe('In place of `expiresAt`: milliseconds from now'),
    cliType: z
      .string()
      .max(MAX_LABEL_CHARS)
      .optional()
      .describe('How an agent takes the prompt, as of `/execute`; not used for a shell'),
  })
  .refine(({ at, afterMs }) => at === undefined || afterMs === undefined, {
    path: ['afterMs'],
    message: 'must not be given with at',
  })
  .refine(({ expiresAt, expiresInMs }) => expiresAt === undefined || expiresInMs === undefined, {
    path: ['expiresInMs'],
    message: 'must not be given with expiresAt',
  });
export type PromptBody = z.infer<typeof PromptBody>;

/** A prompt of the queue. */
export const Prompt = z
  .object({
    id: z.string(),
    terminalId: z.string(),
    prompt: z
      .string()
      .describe(
        `The text; in lists, and once it has ended, the first ${SHOWN_PROMPT_CHARS} characters of it`,
      ),
    promptChars: z.int().describe('Length of the whole text, in UTF-16 units'),
    when: PromptWhen,
    state: PromptState.describe(
      '`queued`: it waits. `typing`: it is being typed, or its effect is awaited. `submitted`: it was typed, and then the ' +
        'agent was seen to work or to ask, or the shell began its command. `stalled`: it was typed, and within ' +
        `${PROMPT_VERIFY_MS / 1_000} s the agent was not seen to begin: the text may stand in its composer. \`unknown\`: ` +
        'it was typed, or may have been, and nothing says more; it is never typed again. `expired`, `cancelled`, ' +
        '`terminal-gone`: nothing was typed',
    ),
    reason: PromptReason.nullable().describe(
      '`cancelled`: `requested`, `token-ended` (the token that has queued it ended, or lost the terminal), ' +
        '`unknown-cli-type`. `stalled`: `no-reaction`. `unknown`: `not-told` (nothing tells an effect from the echo, or no ' +
        'such command was reported), `agent-gone` (the agent has ended meanwhile), `terminal-gone` (the terminal ' +
        'ended meanwhile), `restarted` (the service ended while it was typed), `outcome-unknown`. null otherwise',
    ),
    position: z.int().nullable().describe('Place among the queued prompts of its terminal, from 1'),
    waitsFor: z
      .enum(['time', 'turn', 'ready', 'gate', 'stalled'])
      .nullable()
      .describe(
        'Of a queued one. `time`: it is not due. `turn`: others are before it. `ready`: the agent or the shell is not ready, ' +
          'or cannot be told. `gate`: a person types, or another program has the terminal. `stalled`: the prompt before it ' +
          'stalled, and its text may stand in the composer; it goes on once the agent has worked, or somebody has submitted ' +
          'or dropped the line',
      ),
    at: z.int().nullable().describe('When it is due, in epoch milliseconds; null for at once'),
    expiresAt: z.int().nullable().describe('In epoch milliseconds; null if it does not expire'),
    by: Principal.describe('Who has queued it'),
    createdAt: z.int().describe('In epoch milliseconds'),
    typedAt: z
      .int()
      .nullable()
      .describe('When its typing began, in epoch milliseconds; null if nothing was typed'),
    endedAt: z.int().nullable().describe('In epoch milliseconds; null while it has not ended'),
  })
  .meta({ id: 'Prompt' });
export type Prompt = z.infer<typeof Prompt>;

/** Answer of the routes that list prompts. */
export const PromptList = z.object({ prompts: z.array(Prompt) });
export type PromptList = z.infer<typeof PromptList>;

/** Query of `GET /api/prompts`. */
export const PromptsQuery = z.object({
  selector: Selector.optional().describe(
    'Only prompts of terminals that have all of these labels, such as `role=test`; those of closed terminals have none',
  ),
  state: PromptState.optional().describe('Only prompts in this state'),
});
export type PromptsQuery = z.infer<typeof PromptsQuery>;
