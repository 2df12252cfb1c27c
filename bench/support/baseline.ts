import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Comparisons, isMoreBetter, type Row, ratioOf } from '../report.js';

/** Share by which a ratio may be worse than the baseline: on a busy machine, runs of the same code differ this much. */
const USUAL_TOLERANCE = 0.2;

/** The figure of one row of an earlier run. */
interface Entry {
  /** Ratio to the peer; if present, later runs are judged by it. */
  ratio?: number;
  value: number;
  unit: string;
  /** Share by which a later run may be worse; without it the row is only shown. */
  tolerance?: number;
}

interface Baseline {
  rows: Record<string, Entry>;
}

/** Path of the baseline, which is versioned with the sources; the compiled bench uses the same file. */
const FILE = fileURLToPath(new URL('../../../bench/baseline.json', import.meta.url));

function read(): Baseline {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Baseline;
}

/** Compares rows with the baseline. Leaves out rows that the baseline lacks, and rows that lost or gained a peer. */
export function compare(rows: readonly Row[], { rows: entries }: Baseline = read()): Comparisons {
  return new Map(
    rows.flatMap((row) => {
      const entry = entries[row.name];
      const ratio = ratioOf(row);
      if (!entry || (entry.ratio === undefined) !== (ratio === undefined)) return [];
      const [before, now] = [entry.ratio ?? entry.value, ratio ?? row.value];
      return [[row.name, { before, now, worse: isWorse(row, before, now, entry.tolerance) }]];
    }),
  );
}

/** Writes the rows into the baseline, over rows of the same names. A tolerance in the file stays. */
export function save(rows: readonly Row[]): void {
  const baseline = read();
  for (const row of rows) {
    const { name, value, unit } = row;
    const ratio = ratioOf(row);
    const usual = ratio === undefined ? undefined : USUAL_TOLERANCE;
    const tolerance = baseline.rows[name]?.tolerance ?? row.tolerance ?? usual;
    baseline.rows[name] = { ratio: rounded(ratio), value: rounded(value)!, unit, tolerance };
  }
  writeFileSync(FILE, `${JSON.stringify(baseline, null, 2)}\n`);
}

function isWorse(row: Row, before: number, now: number, tolerance: number | undefined): boolean {
  if (tolerance === undefined) return false;
  // Written so that NaN, a figure that could not be measured, counts as worse.
  return isMoreBetter(row) ? !(now >= before * (1 - tolerance)) : !(now <= before * (1 + tolerance));
}

/** Returns a value to four digits, more than any figure's precision. */
function rounded(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Number(value.toPrecision(4));
}
