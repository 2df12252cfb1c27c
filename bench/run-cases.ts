import type { CaseEntry } from './cases.js';
import type { MachineLoad } from './peers/machine-watch.js';
import { type Comparisons, isMet, type Row } from './report.js';
import type { Sizes } from './support/bench.js';
import { Cleanup } from './support/cleanup.js';
import type { Progress } from './support/progress.js';
import type { Results } from './support/results.js';

export interface RunCases {
  /** Names of the cases to run, in this order. */
  names: readonly string[];
  cases: Readonly<Record<string, CaseEntry>>;
  sizes: Sizes;
  /** Arguments of the command line, for the results. */
  args: readonly string[];
  results: Results;
  progress: Progress;
  /** Aborts when the run must end at once. */
  stop: AbortSignal;
  /** Compares rows with the baseline, and saves them in the baseline if this was requested. */
  judge: (rows: readonly Row[]) => Comparisons;
  machine: { begin(): Promise<void>; end(): Promise<MachineLoad> };
  /** Called after each case. Resolves once no process of the case is left, with the number of killed processes. */
  ended: () => Promise<number>;
}

export interface Outcome {
  /** Cases that threw, or could not end everything that they had started. */
  failed: string[];
  /** Whether a figure is worse than the baseline allows, or misses a target that is required. */
  isWorse: boolean;
}

/**
 * Runs cases one after the other. Prints and stores each result before the next case begins, so that a later failure or
 * stop loses nothing. After a failed case the next cases still run; after a stop no case begins.
 */
export async function runCases(run: RunCases): Promise<Outcome> {
  const outcome: Outcome = { failed: [], isWorse: false };
  for (const [index, name] of run.names.entries()) {
    if (run.stop.aborted) break;
    run.progress.begin(name, index, run.names.length);
    const cleanup = new Cleanup();
    const failures: unknown[] = [];
    let file: string | undefined;
    try {
      const { rows, machine } = await unlessStopped(run.stop, measured(run, name, cleanup));
      const comparisons = run.judge(rows);
      outcome.isWorse ||= [...comparisons.values()].some(({ worse }) => worse) || rows.some(missesRequired);
      run.progress.clear();
      file = run.results.add({ name, rows, comparisons, machine, args: run.args });
    } catch (error) {
      // Stopped work fails in many ways, and its errors mean nothing.
      if (!run.stop.aborted) failures.push(error);
    }
    await cleanup.run().catch((error: unknown) => failures.push(error));
    const killed = await run.ended();
    if (killed > 0) run.progress.print(`${name}: ${killed} processes did not end and were killed`);
    for (const failure of failures) run.progress.print(`${name}: ${describe(failure)}`);
    if (failures.length > 0) outcome.failed.push(name);
    run.progress.end(file ? `done, ${file}` : run.stop.aborted ? 'stopped' : 'failed');
  }
  return outcome;
}

async function measured({ cases, sizes, machine, progress }: RunCases, name: string, cleanup: Cleanup) {
  await machine.begin();
  const rows = await cases[name]!.measure({ ...sizes, cleanup, progress });
  return { rows, machine: await machine.end() };
}

/** Resolves with the work's result. Rejects when the run is stopped, even if the work goes on. */
function unlessStopped<T>(stop: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(stop.reason);
    stop.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => stop.removeEventListener('abort', end));
  });
}

function missesRequired(row: Row): boolean {
  return row.isRequired === true && isMet(row) === false;
}

/** Returns the stack of an error, and below it its cause or, for an AggregateError, all of its errors. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner =
    error instanceof AggregateError ? error.errors : error.cause === undefined ? [] : [error.cause];
  return [error.stack ?? error.message, ...inner.map(describe)].join('\n');
}
