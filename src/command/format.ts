import { Option } from 'commander';
import type { Context } from './context.js';
import { oneLine } from './one-line.js';

/** Format in which a verb prints its list. */
type Format = 'table' | 'wide' | 'json' | 'ndjson' | 'ids';

export interface FormatOptions {
  output?: Format;
  quiet?: boolean;
}

/** A column of a table. `wide` columns are only in `-o wide`. */
export interface Column<Row> {
  title: string;
  value: (row: Row) => string;
  wide?: boolean;
}

export const OUTPUT = new Option(
  '-o, --output <format>',
  'how to print: a table for people, or data for programs',
).choices(['table', 'wide', 'json', 'ndjson', 'ids']);
/** For verbs that print each thing as it comes, which makes no one JSON text and has no ids. */
export const LINES = new Option(
  '-o, --output <format>',
  'how to print each line: for people, or as JSON, which programs get by default',
).choices(['table', 'json', 'ndjson']);
export const QUIET = new Option('-q, --quiet', 'print ids only, one a line');

/** Columns of a terminal that does not know its size; it reports 0, as in many containers and over serial lines. */
export const USUAL_COLUMNS = 80;

/** Blanks between two columns. */
const GAP = '   ';

/** Returns whether {@link LINES} are JSON. */
export function areLinesJson({ isTty }: Pick<Context, 'isTty'>, output: Format | undefined): boolean {
  return output === undefined ? !isTty : output !== 'table';
}

/** Prints rows as the options say: by default a table on a terminal, and tab-separated columns elsewhere. */
export async function printRows<Row extends object>(
  context: Context,
  rows: readonly Row[],
  { output, quiet = false }: FormatOptions,
  { columns, id, name }: { columns: readonly Column<Row>[]; id: (row: Row) => string; name: string },
): Promise<void> {
  const format = quiet ? 'ids' : (output ?? 'table');
  if (format === 'json') return context.write(`${JSON.stringify({ schema: 1, [name]: rows }, null, 2)}\n`);
  if (format === 'ndjson') return context.write(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  if (format === 'ids') return context.write(rows.map((row) => `${id(row)}\n`).join(''));
  const shown = columns.filter(({ wide = false }) => !wide || format === 'wide');
  const cells = rows.map((row) => shown.map(({ value }) => oneLine(value(row))));
  if (!context.isTty) return context.write(cells.map((line) => `${line.join('\t')}\n`).join(''));
  await context.write(
    await table([shown.map(({ title }) => title), ...cells], context.stdout.columns || USUAL_COLUMNS),
  );
}

/** Prints one object: as JSON for programs, else as lines of names and values. */
export async function printFacts(
  context: Context,
  facts: Readonly<Record<string, string>>,
  whole: object,
  { output, quiet = false }: FormatOptions,
  id?: string,
): Promise<void> {
  if (quiet || output === 'ids') return context.write(`${id ?? ''}\n`);
  if (output === 'json') return context.write(`${JSON.stringify({ schema: 1, ...whole }, null, 2)}\n`);
  if (output === 'ndjson') return context.write(`${JSON.stringify(whole)}\n`);
  const width = Math.max(...Object.keys(facts).map((key) => key.length));
  const lines = Object.entries(facts).map(([key, value]) => `${key.padEnd(width)}   ${oneLine(value)}\n`);
  await context.write(lines.join(''));
}

/** Prints a value as JSON that people can read. */
export function printJson(context: Context, value: unknown): Promise<void> {
  return context.write(`${JSON.stringify(value, null, 2)}
`);
}

async function table(lines: readonly string[][], width: number): Promise<string> {
  // Its tables of characters take as long to load as everything else of a verb.
  const { cut, stringWidth } = await import('./text-width.js');
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => stringWidth(line[column] ?? ''))),
  );
  return lines
    .map((line) => {
      const padded = line.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - stringWidth(cell)));
      return `${cut(padded.join(GAP).trimEnd(), width)}\n`;
    })
    .join('');
}

/** Returns a time that has passed since, in its largest unit: `5s`, `12m`, `3h`, `2d`. */
export function ageOf(sinceMs: number, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - sinceMs) / 1_000));
  if (seconds < 100) return `${seconds}s`;
  if (seconds < 6_000) return `${Math.round(seconds / 60)}m`;
  if (seconds < 360_000) return `${Math.round(seconds / 3_600)}h`;
  return `${Math.round(seconds / 86_400)}d`;
}

/** Returns a duration: `12 ms`, `3.4 s`, `5m 20s`. */
export function durationOf(ms: number): string {
  // Rounded before the unit is chosen: 59,960 ms are `1m 0s`, not `60.0 s`.
  const [whole, tenths, seconds] = [Math.round(ms), Math.round(ms / 100), Math.round(ms / 1_000)];
  if (whole < 1_000) return `${whole} ms`;
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
}
