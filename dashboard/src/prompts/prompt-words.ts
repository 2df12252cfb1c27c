import type { PromptInfo, QueueOptions } from '../../../src/client/browser.js';
import { durationOf, plainLabel, shortSpan } from '../fleet/words.js';

const MINUTE_MS = 60_000;
/** Longest timer of a browser. */
const MAX_TIMER_MS = 2_147_483_647;

/** Conditions for typing a prompt, in words for people. */
export const WHENS: ReadonlyArray<[when: PromptInfo['when'], words: string]> = [
  ['free', 'once the agent or the shell is free'],
  ['agent-idle', 'once the agent is idle'],
  ['command-end', 'once the command has ended'],
];

const WAITS: Record<Exclude<NonNullable<PromptInfo['waitsFor']>, 'time'>, string> = {
  turn: 'other prompts come before it',
  ready: 'the agent or the shell is not ready, or the service cannot tell',
  gate: 'a person types, or another program has the terminal',
  stalled: 'the prompt before it stalled: submit or clear its text in the terminal',
};

/** Reasons for an unknown outcome of a prompt that may have been typed. */
const UNKNOWNS: Partial<Record<NonNullable<PromptInfo['reason']>, string>> = {
  'not-told': 'it was typed, but nothing shows whether it was taken',
  'agent-gone': 'the agent ended while it was typed',
  'terminal-gone': 'the terminal ended while it was typed',
  restarted: 'the service ended while it was typed',
};

const CANCELS: Partial<Record<NonNullable<PromptInfo['reason']>, string>> = {
  'token-ended': 'the token that queued it has ended, or no longer reaches this terminal',
  'unknown-cli-type': 'the service no longer knows how to type into this kind of agent',
};

/** Returns in words the number of waiting prompts; undefined if none waits. */
export function wordsOfQueue(prompts: readonly PromptInfo[]): string | undefined {
  const waiting = prompts.filter(isWaiting);
  if (waiting.length === 0) return undefined;
  const words = waiting.length === 1 ? '1 prompt queued' : `${waiting.length} prompts queued`;
  return waiting.some(({ waitsFor }) => waitsFor === 'stalled') ? `${words}, held up` : words;
}

/** Returns in words the condition for typing a prompt, and its present obstacle unless that is its time. */
export function wordsOfWait({ when, state, waitsFor }: PromptInfo): string {
  if (state === 'typing') return 'is being typed';
  const words = WHENS.find(([each]) => each === when)?.[1] ?? when;
  return waitsFor === null || waitsFor === 'time' ? words : `${words} · ${WAITS[waitsFor]}`;
}

/** Returns the outcome of a prompt in words. */
export function wordsOfEnd({ state, reason }: Pick<PromptInfo, 'state' | 'reason'>): string {
  switch (state) {
    case 'submitted':
      return 'submitted';
    case 'stalled':
      return 'stalled: it was typed, but the agent did not begin; its text may still stand there';
    case 'expired':
      return 'expired: nothing was typed';
    case 'terminal-gone':
      return 'the terminal ended first: nothing was typed';
    case 'cancelled': {
      const why = reason === null ? undefined : CANCELS[reason];
      return why === undefined ? 'cancelled' : `cancelled: ${why}`;
    }
    case 'unknown':
      return `unknown: ${(reason && UNKNOWNS[reason]) ?? 'it may or may not have been typed'}`;
    default:
      return state;
  }
}

/** Returns the beginning of a prompt as one line. */
export function beginningOf({ prompt }: Pick<PromptInfo, 'prompt'>): string {
  return plainLabel(prompt.trim().replace(/\s+/g, ' '));
}

/** Whether a prompt has not ended. */
export function isWaiting({ endedAt }: PromptInfo): boolean {
  return endedAt === null;
}

/** Returns the prompts that have ended last, newest first. */
export function lastEnded(prompts: readonly PromptInfo[], count: number): PromptInfo[] {
  return prompts
    .filter((prompt) => !isWaiting(prompt))
    .sort((one, other) => other.endedAt! - one.endedAt!)
    .slice(0, count);
}

/** Returns the time left in words, minutes with their seconds. */
export function spanLeft(ms: number): string {
  return ms < MINUTE_MS ? shortSpan(Math.max(0, ms)) : durationOf(ms);
}

/** Returns the milliseconds until the list changes by the clock alone, which no event reports; false if it does not. */
export function untilDue(prompts: readonly PromptInfo[], now: number): number | false {
  const times = prompts.flatMap(({ waitsFor, at }) => (waitsFor === 'time' && at !== null ? [at] : []));
  if (times.length === 0) return false;
  return Math.min(MAX_TIMER_MS, Math.max(1_000, Math.min(...times) - now));
}

/** Form fields of a prompt; the minutes as typed. */
export interface PromptDraft {
  text: string;
  when: PromptInfo['when'];
  afterMinutes: string;
  expiresMinutes: string;
}

export const NEW_PROMPT: PromptDraft = { text: '', when: 'free', afterMinutes: '', expiresMinutes: '' };

/** Returns why a prompt cannot be queued so; undefined if it can. */
export function faultOf({ afterMinutes, expiresMinutes }: PromptDraft): string | undefined {
  const [after, expires] = [msOf(afterMinutes), msOf(expiresMinutes)];
  const isTooLate = after !== undefined && expires !== undefined && expires <= after;
  return isTooLate ? 'It would expire before it is due' : undefined;
}

/** Returns the options of the request. */
export function queueOptions({ when, afterMinutes, expiresMinutes }: PromptDraft): QueueOptions {
  const [afterMs, expiresInMs] = [msOf(afterMinutes), msOf(expiresMinutes)];
  return {
    when,
    ...(afterMs !== undefined && { afterMs }),
    ...(expiresInMs !== undefined && { expiresInMs }),
  };
}

function msOf(minutes: string): number | undefined {
  const value = minutes.trim() === '' ? Number.NaN : Number(minutes);
  return Number.isFinite(value) ? Math.round(value * MINUTE_MS) : undefined;
}
