import type { RunResult } from '../../../src/client/browser.js';
import { meaningOf } from '../refusals.js';

/** A terminal of a batch, from the moment on in which the command is sent. */
export interface BatchRow {
  terminalId: string;
  /** The name at the time of the run. */
  name: string;
  /** Output of the command so far; once the run is over, the part that the service kept. */
  output: string;
  /** The outcome; undefined while the command runs. */
  result: Omit<RunResult, 'raw'> | undefined;
}

/**
 * Comparison of a row with the others. `same`: exit code 0, and the output that most rows have. `failed`: not run, or
 * an exit code other than 0. `unknown`: the end was not reported, so it is no success; or the part of the output that is
 * kept is the same, and nobody knows of the rest.
 */
export type Verdict = 'running' | 'failed' | 'differs' | 'unknown' | 'same';
const VERDICTS: readonly Verdict[] = ['running', 'failed', 'differs', 'unknown', 'same'];

/** Rows with the same outcome and the same output. */
export interface BatchGroup {
  key: string;
  verdict: Verdict;
  outcome: string;
  output: string;
  rows: readonly BatchRow[];
}

const REASONS: Record<NonNullable<RunResult['reason']>, string> = {
  running: 'the command has not ended',
  'not-typed': 'it was not typed',
  refused: 'the shell did not run it',
  incomplete: 'the shell expects more of it',
  'nothing-ran': 'the line ran nothing',
  untold: 'nothing reported its end',
  unidentified: 'other commands ran at the same time',
  restarted: 'it ended while the service was restarting',
};

/** Returns the outcome of the command in words; an unknown exit code with its reason. */
export function outcomeOf({ result }: BatchRow): string {
  if (!result) return 'running';
  if (!result.success) return meaningOf(result.code) ?? result.error ?? 'not run';
  if (!result.done) return 'not ended in time, goes on';
  if (result.exitCode !== null)
    return `exit ${result.exitCode}${result.truncated ? ', of its output the end alone is known' : ''}`;
  return `exit unknown: ${result.reason ? REASONS[result.reason] : 'no reason given'}`;
}

/** Whether the command has certainly failed; a rerun covers only such terminals. */
export function hasFailed({ result }: BatchRow): boolean {
  if (!result) return false;
  return !result.success || (result.exitCode !== null && result.exitCode !== 0);
}

function hasSucceeded({ result }: BatchRow): boolean {
  return result?.success === true && result.done && result.exitCode === 0;
}

/** Returns the most frequent output; the first seen wins a tie. Undefined if there are no rows. */
function mostFrequent(rows: readonly BatchRow[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { output } of rows) counts.set(output, (counts.get(output) ?? 0) + 1);
  return [...counts].reduce<[string, number] | undefined>(
    (best, each) => (best && best[1] >= each[1] ? best : each),
    undefined,
  )?.[0];
}

/**
 * Returns the output with which the others are compared: the most frequent of the rows that succeeded, else of all that
 * have ended.
 */
export function referenceOf(rows: readonly BatchRow[]): string | undefined {
  return mostFrequent(rows.filter(hasSucceeded)) ?? mostFrequent(rows.filter(({ result }) => result));
}

export function verdictOf(row: BatchRow, reference: string | undefined): Verdict {
  if (!row.result) return 'running';
  if (hasFailed(row)) return 'failed';
  if (!hasSucceeded(row)) return 'unknown';
  if (row.output !== reference) return 'differs';
  return row.result.truncated ? 'unknown' : 'same';
}

/** Groups the rows by outcome and output: running and failed rows first, rows with the verdict `same` last. */
export function groupsOf(rows: readonly BatchRow[]): BatchGroup[] {
  const reference = referenceOf(rows);
  const groups = new Map<string, BatchGroup & { rows: BatchRow[] }>();
  for (const row of rows) {
    const verdict = verdictOf(row, reference);
    const outcome = outcomeOf(row);
    // Outputs of running commands differ only by the moment.
    const output = verdict === 'running' ? '' : row.output;
    const key = JSON.stringify([verdict, outcome, output]);
    const group = groups.get(key);
    if (group) group.rows.push(row);
    else groups.set(key, { key, verdict, outcome, output, rows: [row] });
  }
  const rank = ({ verdict }: BatchGroup) => VERDICTS.indexOf(verdict);
  return [...groups.values()].sort((a, b) => rank(a) - rank(b) || b.rows.length - a.rows.length);
}

const WORDS: Record<Verdict, (count: number) => string> = {
  running: () => 'running',
  failed: () => 'failed',
  differs: (count) => (count === 1 ? 'differs' : 'differ'),
  unknown: () => 'unknown',
  same: () => 'same',
};

/** Says how many rows there are of each kind: `97 same, 2 differ, 1 failed`. */
export function summaryOf(rows: readonly BatchRow[]): string {
  const reference = referenceOf(rows);
  const counts = new Map<Verdict, number>();
  for (const row of rows) {
    const verdict = verdictOf(row, reference);
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  }
  return VERDICTS.toReversed()
    .flatMap((verdict) => {
      const count = counts.get(verdict);
      return count === undefined ? [] : `${count.toLocaleString()} ${WORDS[verdict](count)}`;
    })
    .join(', ');
}
