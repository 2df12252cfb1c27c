import type { WatchForOptions, WatchInfo, WebhookAttempt, WebhookInfo } from '../../../src/client/browser.js';
import { plainLabel } from '../fleet/words.js';

/** Why a line has not been typed. */
const REASONS: Readonly<Record<WatchInfo['waitingInput'][number]['reason'], string>> = {
  busy: 'its terminal is busy',
  waiting: 'the agent has a question',
  gone: 'there is no such terminal',
  unknown: 'nobody knows whether its terminal is idle',
};

/** Returns the state of a watch in words. */
export function wordsOfWatch({ ended, isTooSlow, gaps, leftOut, waitingInput }: WatchInfo): string[] {
  const words = [
    ended === null ? 'searches' : ended === 'once' ? 'ended by its first match' : 'its time is over',
  ];
  if (isTooSlow) words.push('its expression is too slow for some lines');
  if (leftOut > 0) words.push(`${leftOut.toLocaleString()} lines not searched: too many`);
  if (gaps > 0)
    words.push(`output may have been missed ${gaps === 1 ? 'once' : `${gaps.toLocaleString()} times`}`);
  for (const { reason } of waitingInput) words.push(`a line waits to be typed: ${REASONS[reason]}`);
  return [...new Set(words)];
}

/** Returns the state of a webhook in words, and whether it is bad. */
export function stateOfWebhook({ enabled, isGone, retrying, behind }: WebhookInfo): {
  words: string;
  isBad: boolean;
} {
  if (isGone) return { words: 'ended by its receiver', isBad: true };
  if (!enabled) return { words: 'off', isBad: false };
  const waits = [
    ...(retrying > 0 ? [`${retrying.toLocaleString()} to be tried again`] : []),
    ...(behind > 0 ? [`${behind.toLocaleString()} events behind`] : []),
  ];
  return { words: waits.length === 0 ? 'on' : waits.join(', '), isBad: retrying > 0 };
}

const OUTCOMES: Readonly<Record<WebhookAttempt['outcome'], string>> = {
  delivered: 'delivered',
  retrying: 'will be tried again',
  dead: 'given up',
  gone: 'ended by its receiver (410)',
  'test-failed': 'the test has failed',
};

/** Returns the outcome of an attempt in words. */
export function wordsOfAttempt({ outcome, status, error }: WebhookAttempt): string {
  if (error !== null) return `${OUTCOMES[outcome]}: ${plainLabel(error)}`;
  return status === null ? OUTCOMES[outcome] : `${OUTCOMES[outcome]}, status ${status}`;
}

/** Form fields of a new watch. */
export interface WatchDraft {
  name: string;
  pattern: string;
  isRegex: boolean;
  reach: 'all' | 'labels' | 'terminal';
  selector: string;
  terminal: string;
  once: boolean;
  webhook: string;
  /** The terminal that a line is typed into; empty: none. */
  into: string;
  line: string;
}

export const NEW_WATCH: WatchDraft = {
  ...{ name: '', pattern: '', isRegex: false, reach: 'all', selector: '', terminal: '', once: false },
  ...{ webhook: '', into: '', line: '' },
};

/** Returns the watch that a draft asks for. */
export function watchOf(draft: WatchDraft): WatchForOptions {
  const { name, pattern, isRegex, reach, selector, terminal, once, webhook, into, line } = draft;
  return {
    ...(name !== '' && { name }),
    ...(isRegex ? { regex: pattern } : { text: pattern }),
    ...(reach === 'labels' && { selector: selector.trim() }),
    ...(reach === 'terminal' && { terminals: [terminal] }),
    once,
    actions: [
      ...(webhook === '' ? [] : [{ type: 'webhook' as const, webhookId: webhook }]),
      ...(into === '' ? [] : [{ type: 'input' as const, terminalId: into, text: line }]),
    ],
  };
}

/** Returns the types in a text, separated by spaces, commas or line ends. */
export function typesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((type) => type !== '');
}

/** Returns in words the terminals that a watch or webhook covers. */
export function wordsOfReach(
  { selector, terminals }: Pick<WatchInfo, 'selector' | 'terminals'>,
  nameOf: (id: string) => string,
): string {
  if (selector !== null) return plainLabel(selector);
  if (terminals === null) return 'all';
  return plainLabel(terminals.map(nameOf).join(', '));
}
