import { type BatchRow, outcomeOf, referenceOf, verdictOf } from './groups.js';

/** Returns the rows in the form of the files. */
function recordsOf(rows: readonly BatchRow[]) {
  const reference = referenceOf(rows);
  return rows.map((row) => ({
    terminal: row.terminalId,
    name: row.name,
    verdict: verdictOf(row, reference),
    outcome: outcomeOf(row),
    exitCode: row.result?.exitCode ?? null,
    durationMs: row.result?.durationMs ?? null,
    truncated: row.result?.truncated ?? false,
    output: row.output,
  }));
}

/**
 * Returns the field for a file of RFC 4180. A spreadsheet would run a text that begins like a formula, and what
 * terminals print is not to be trusted: such a text gets an apostrophe in front.
 */
function field(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return String(value ?? '');
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvOf(rows: readonly BatchRow[]): string {
  const heads = ['terminal', 'name', 'verdict', 'outcome', 'exitCode', 'durationMs', 'truncated', 'output'];
  const lines = [heads, ...recordsOf(rows).map((record) => Object.values(record).map(field))];
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}

export function jsonOf(command: string, rows: readonly BatchRow[]): string {
  return `${JSON.stringify({ command, results: recordsOf(rows) }, null, 2)}\n`;
}
