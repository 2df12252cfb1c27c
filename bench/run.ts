// npm run bench -- --help
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CASES } from './cases.js';
import { type BenchOptions, helpText, parseOptions, UsageError } from './options.js';
import type { MachineWatchCalls } from './peers/machine-watch.js';
import type { Row } from './report.js';
import { runCases } from './run-cases.js';
import { compare, save } from './support/baseline.js';
import { Cleanup } from './support/cleanup.js';
import { markProcesses, ownEnded } from './support/own-processes.js';
import { Peer } from './support/peer-calls.js';
import { Progress } from './support/progress.js';
import { Results } from './support/results.js';

/** Exit codes of a run that was stopped. */
const STOPPED_BY = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

const args = process.argv.slice(2);
try {
  const options = parseOptions(args, Object.keys(CASES));
  if (options === 'help') process.stdout.write(helpText(CASES));
  else await run(options);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

async function run({ only, json, results: folder, saveBaseline, ...sizes }: BenchOptions): Promise<void> {
  const stop = new AbortController();
  for (const signal of Object.keys(STOPPED_BY) as Array<keyof typeof STOPPED_BY>) {
    process.on(signal, () => {
      // The case's pending work fails now, which must not end the process before the cleanup is done.
      process.on('unhandledRejection', () => {});
      process.exitCode = STOPPED_BY[signal];
      stop.abort();
    });
  }
  const mark = markProcesses();
  // All temporary folders of the run, the services' too, are created in this folder, so that no folder is left behind.
  const temporary = mkdtempSync(join(tmpdir(), 'at-bench-'));
  process.env.TMPDIR = temporary;
  const cleanup = new Cleanup();
  const watch = Peer.start<MachineWatchCalls>(cleanup, 'machine-watch', [mark, String(process.pid)]);
  const judge = (rows: readonly Row[]) => {
    const comparisons = sizes.scale === 1 ? compare(rows) : new Map();
    if (saveBaseline) save(rows);
    return comparisons;
  };
  const progress = new Progress(process.stderr);
  try {
    const { failed, isWorse } = await runCases({
      ...{ names: only, cases: CASES, sizes, args, progress, stop: stop.signal, judge },
      results: new Results({ folder, json, print: (text) => process.stdout.write(text) }),
      machine: { begin: () => watch.call('begin'), end: () => watch.call('end') },
      ended: () => ownEnded(mark, [watch.pid]),
    });
    if (failed.length > 0) progress.print(`failed: ${failed.join(', ')}`);
    // A run that becomes the baseline is not judged by the baseline that it replaces.
    if (failed.length > 0 || (isWorse && !saveBaseline)) process.exitCode ??= 1;
  } finally {
    await cleanup.run();
    await ownEnded(mark, []);
    rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
  }
  // The timers of a stopped case would keep the process alive.
  if (stop.signal.aborted) process.exit();
}
