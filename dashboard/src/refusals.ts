import { ApiError, type Principal } from '../../src/client/browser.js';
import { wordsOfPrincipal } from './fleet/principal.js';
import { shortSpan } from './fleet/words.js';

/** Meanings of the input gate's refusals for the person who has typed, by code. */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ['locked', 'somebody else has the terminal; nothing was typed'],
  ['lease-lost', 'the terminal was taken over meanwhile; nothing was typed'],
  ['agent-waiting', 'its agent has a question, which the text would have answered; nothing was typed'],
  [
    'agent-busy',
    'its agent works, or nobody knows what it does; nothing was typed. Try again once it is idle',
  ],
  ['no-agent', 'no agent runs in it; nothing was typed'],
  ['audit-unavailable', 'the audit log cannot be written, and without it nothing may be done'],
  ['input-buffer-full', 'its program does not read what is typed'],
  ['too-many-prompts', 'too many prompts wait already. Cancel some, or wait until some are typed'],
  ['prompt-not-queued', 'it does not wait any longer: it is being typed, or has ended'],
  ['not-granted', 'the other machine does not let this one do that'],
  ['machine-unreachable', 'the other machine cannot be reached'],
  ['read-only-client', 'this window only watches'],
  ['verb-missing', 'you may not do this'],
  ['outside-scope', 'you may not do this: your token is bound to some of the terminals'],
]);

/** Returns the meaning of a refusal by its code alone; undefined if the service's own words are used. */
export function meaningOf(code: string | undefined): string | undefined {
  return MEANINGS.get(code ?? '');
}

/** Returns the meaning of a failure for a person; undefined if its own words are used. */
export function wordsOfRefusal(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.code !== 'locked') return meaningOf(error.code);
  const { holder, draft, retryAfterMs } = error.details;
  // The holder is null if the service does not know what blocks the input.
  const who = holder ? wordsOfPrincipal(holder as Principal) : 'somebody else';
  const has = draft === true ? 'the terminal, and a half-typed line stands there' : 'the terminal';
  const again = typeof retryAfterMs === 'number' ? ` Try again in ${shortSpan(retryAfterMs + 999)}` : '';
  return `${who} has ${has}; nothing was typed.${again}`;
}
