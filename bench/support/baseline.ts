import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Comparisons, isMoreBetter, type Row, ratioOf } from '../report.js';

/** Share by which a ratio may be worse than it was: what two runs of the same code differ by on a busy machine. */
const USUAL_TOLERANCE = 0.2;

/** The figure of one row of an earlier run. */
interface Entry {
  /** To the peer; this is what later runs are held against. */
  ratio?: number;
  value: number;
  unit: string;
  /** Share by which a later run may be worse; without it the row is shown and not judged. */
  tolerance?: number;
}

interface Baseline {
  rows: Record<string, Entry>;
}

/** Beside the sources, also for the compiled bench: it is kept with them. */
const FILE = fileURLToPath(new URL('../../../bench/baseline.json', import.meta.url));

function read(): Baseline {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Baseline;
}

/** How rows stand to the earlier run; rows that it does not have, or that have lost or gained a peer, are left out. */
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

/** Writes the rows over those of the same names. A tolerance that somebody has set in the file stays. */
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
  // A figure that could not be taken is no better than a bad one.
  return isMoreBetter(row) ? !(now >= before * (1 - tolerance)) : !(now <= before * (1 + tolerance));
}

/** To four digits, which is more than any of them is good for. */
function rounded(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Number(value.toPrecision(4));
}
