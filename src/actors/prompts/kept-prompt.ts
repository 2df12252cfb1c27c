import { z } from 'zod';
import { MAX_PROMPT_WAIT_MS, SHOWN_PROMPT_CHARS } from '../../contract/limits.js';
import { Principal } from '../../contract/principal.js';
import { Prompt, type PromptBody, type PromptEnd, type PromptReason } from '../../contract/prompt.js';
import type { Codec } from '../../store/store.js';
import { hrMs } from '../../workers/clock.js';

/** A time: given by the wall clock, or as a span, which no step of that clock changes. */
const Moment = z.object({
  /** Epoch milliseconds, as clients see them. */
  at: z.int(),
  /** The same on the clock of `hrMs`, for a span. */
  hr: z.number().nullable(),
});
export type Moment = z.infer<typeof Moment>;

/** A prompt as it is stored. Bounds are checked when a request comes in. */
const KeptPrompt = z.object({
  /** Sequence number among all prompts ever queued. */
  n: z.int(),
  terminalId: z.string(),
  prompt: z.string(),
  promptChars: z.int(),
  when: Prompt.shape.when,
  cliType: z.string().nullable(),
  state: Prompt.shape.state,
  reason: Prompt.shape.reason,
  due: Moment.nullable(),
  expires: Moment.nullable(),
  by: Principal,
  /** Idempotency-Key of its request, for the audit log. */
  request: z.string().nullable(),
  createdAt: z.int(),
  typedAt: z.int().nullable(),
  endedAt: z.int().nullable(),
  /** Whether it stalled and its text may still be in the agent's composer: nothing is typed after such text. */
  isInTheWay: z.boolean(),
});
export type KeptPrompt = z.infer<typeof KeptPrompt>;

export const PROMPT_CODEC: Codec<KeptPrompt> = { version: 1, schema: KeptPrompt };

/** A request to queue a prompt, and its sender. */
export interface PromptRequest {
  /** Id of the prompt: a repeated request has the same. */
  id: string;
  terminalId: string;
  body: PromptBody;
  by: Principal;
  /** Idempotency-Key. */
  request: string | undefined;
}

/** @param n - its place among all prompts */
export function recordOf({ terminalId, body, by, request }: PromptRequest, n: number): KeptPrompt {
  const { prompt, when, cliType, at, afterMs, expiresAt, expiresInMs } = body;
  return {
    ...{ n, terminalId, prompt, when, by, promptChars: prompt.length, cliType: cliType ?? null },
    ...{
      state: 'queued',
      reason: null,
      due: momentOf(at, afterMs),
      expires: momentOf(expiresAt, expiresInMs),
    },
    ...{ request: request ?? null, createdAt: Date.now(), typedAt: null, endedAt: null, isInTheWay: false },
  };
}

function momentOf(at: number | undefined, inMs: number | undefined): Moment | null {
  if (inMs !== undefined) return { at: Date.now() + inMs, hr: hrMs() + inMs };
  return at === undefined ? null : { at, hr: null };
}

/** Returns how many milliseconds are left until a time; 0 or less once it has come. */
export function leftMs({ at, hr }: Moment): number {
  if (hr === null) return at - Date.now();
  // The clock of `hrMs` restarts with the machine, so the time left is capped at the longest span allowed.
  return Math.min(hr - hrMs(), MAX_PROMPT_WAIT_MS);
}

export function isDue({ due }: Pick<KeptPrompt, 'due'>): boolean {
  return due === null || leftMs(due) <= 0;
}

export function isExpired({ expires }: Pick<KeptPrompt, 'expires'>): boolean {
  return expires !== null && leftMs(expires) <= 0;
}

/** Returns whether a prompt waits or is being typed. */
export function isOpen({ state }: Pick<KeptPrompt, 'state'>): boolean {
  return state === 'queued' || state === 'typing';
}

/**
 * Returns the changes to a prompt that ends. Only the beginning of its text is kept.
 *
 * @param isDropped - whether its line was submitted or dropped after its last key
 */
export function ending(
  { prompt, typedAt }: KeptPrompt,
  state: PromptEnd,
  reason: PromptReason | null,
  isDropped: boolean,
): Partial<KeptPrompt> {
  const isTyped = state === 'submitted' || state === 'stalled' || state === 'unknown';
  return {
    ...{ state, reason, endedAt: Date.now(), prompt: prompt.slice(0, SHOWN_PROMPT_CHARS) },
    typedAt: isTyped ? typedAt : null,
    isInTheWay: state === 'stalled' && !isDropped,
  };
}

/** Returns a prompt as clients see it. */
export function viewOf(
  id: string,
  record: KeptPrompt,
  { position, waitsFor, isWhole }: Pick<Prompt, 'position' | 'waitsFor'> & { isWhole: boolean },
): Prompt {
  const { terminalId, prompt, promptChars, when, state, reason, due, expires, by } = record;
  const { createdAt, typedAt, endedAt } = record;
  return {
    ...{ id, terminalId, prompt: isWhole ? prompt : prompt.slice(0, SHOWN_PROMPT_CHARS), promptChars },
    ...{ when, state, reason, position, waitsFor, at: due?.at ?? null, expiresAt: expires?.at ?? null },
    ...{ by, createdAt, typedAt, endedAt },
  };
}
