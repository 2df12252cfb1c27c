import type { AuditEntry } from '../../../src/client/browser.js';
import { plainLabel } from '../fleet/words.js';

/** Kinds of lines, by the beginning of their action. */
export const KINDS: ReadonlyArray<[action: string, words: string]> = [
  ['typ', 'typed'],
  ['untyped', 'not typed'],
  ['POST', 'created or done (POST)'],
  ['P', 'created or changed (POST, PUT, PATCH)'],
  ['DELETE', 'deleted'],
  ['audit.', 'the log itself'],
];

const LOG_ACTIONS: Readonly<Record<string, string>> = {
  'audit.opened': 'the log begins',
  'audit.closed': 'the log ends',
  'audit.gap': 'lines could not be written',
  'audit.mended': 'a torn end was cut off',
  'audit.trimmed': 'old files were deleted',
};

/** Returns the action in words, in a line. */
export function wordsOfAction(entry: AuditEntry): string {
  const { action, text, bytes, secret, redacted, settings, tokenId } = entry;
  if (action === 'type') return 'text to be typed';
  if (action === 'typed') {
    if (secret) return 'typed a secret, of which nothing is kept';
    if (text !== undefined)
      return `typed ${JSON.stringify(plainLabel(text))}${redacted ? ', secrets replaced' : ''}`;
    return `typed ${bytes === 1 ? '1 byte' : `${(bytes ?? 0).toLocaleString()} bytes`}`;
  }
  if (action === 'untyped') return `the text of line ${entry.of} was not typed`;
  const about = settings?.join(', ') ?? tokenId;
  const words = LOG_ACTIONS[action] ?? action;
  return plainLabel(about === undefined ? words : `${words}: ${about}`);
}

/** Outcome of the action of a line. */
export interface Outcome {
  words: string;
  isBad: boolean;
}

export function outcomeOf(entry: AuditEntry, ends: Ends): Outcome {
  const { n, action, status, code } = entry;
  if (action === 'type') {
    const end = ends.byLine.get(n);
    if (end) return outcomeOf(end, ends);
    if (!ends.isComplete) return { words: '', isBad: false };
    return n < ends.openedAt
      ? { words: 'nobody knows', isBad: true }
      : { words: 'not known yet', isBad: false };
  }
  if (action === 'typed') return { words: 'typed', isBad: false };
  if (action === 'untyped') {
    const why =
      code === 'outcome-unknown' ? 'nobody knows' : code === 'repeated' ? 'typed before' : 'not typed';
    return {
      words: code === undefined || why !== 'not typed' ? why : `not typed: ${plainLabel(code)}`,
      isBad: true,
    };
  }
  if (status === undefined) return { words: '', isBad: action === 'audit.gap' };
  const words = code === undefined ? String(status) : `${status} ${plainLabel(code)}`;
  return { words, isBad: status >= 400 };
}

/** Outcomes of texts that were to be typed. */
export interface Ends {
  /** Line with the outcome, by the number of the text's line. */
  byLine: ReadonlyMap<number, AuditEntry>;
  /** Number of the line with which the present service opened the log; no outcomes of earlier texts will follow. */
  openedAt: number;
  /** Whether the lines include all outcomes: lines with outcomes do not name the sender, so a filter by client drops them. */
  isComplete: boolean;
}

export function endsOf(lines: readonly AuditEntry[], isComplete: boolean): Ends {
  const byLine = new Map(lines.flatMap((line) => (line.of === undefined ? [] : [[line.of, line]])));
  const openedAt = lines.findLast(({ action }) => action === 'audit.opened')?.n ?? 0;
  return { byLine, openedAt, isComplete };
}

/** Returns the lines without the outcomes of typed texts, which are shown in the rows of these texts. */
export function rowsOf(lines: readonly AuditEntry[]): AuditEntry[] {
  const texts = new Set(lines.flatMap(({ action, n }) => (action === 'type' ? [n] : [])));
  return lines.filter(({ of }) => of === undefined || !texts.has(of));
}

/** Returns how many of the lines, oldest first, are not newer than number `n`. */
export function countUpTo(lines: readonly AuditEntry[], n: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle]!.n <= n) low = middle + 1;
    else high = middle;
  }
  return low;
}
