import { type Command, Option } from 'commander';
import type { Occurrence, RunResult, WaitManyResult } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { type Column, type FormatOptions, OUTPUT, printRows, QUIET } from '../format.js';
import { shellLine } from '../shell-line.js';
import { noMatch } from '../targets.js';
import { commandAfter, msOf, verb, waitSeconds } from '../verb.js';

type Options = CommonOptions & FormatOptions & { timeout: number };

/** A machine of the answer: why it took no part, and its terminals, whose state is unknown for that reason. */
type Part = {
  machineId: string;
  deviceName: string;
  code?: string | undefined;
  terminalIds?: string[] | undefined;
};

const DEFAULT_TIMEOUT_S = 3_600;
/** Code of machines that let this machine observe nothing; none of their terminals can be meant. */
const NOTHING = 'not-granted';

const RESULTS: readonly Column<RunResult>[] = [
  { title: 'MACHINE', value: ({ machineId = 'self' }) => machineId },
  { title: 'ID', value: ({ terminalId }) => terminalId },
  { title: 'EXIT', value: exitOf },
  { title: 'OUTPUT', value: ({ raw }) => raw.trimEnd().split('\n').at(-1) ?? '' },
];

const OCCURRENCES: readonly Column<WaitManyResult>[] = [
  { title: 'MACHINE', value: ({ machineId = 'self' }) => machineId },
  { title: 'ID', value: ({ terminalId }) => terminalId },
  { title: 'NAME', value: ({ name = '' }) => name },
  { title: 'EVENT', value: ({ event, code }) => event ?? code ?? 'gone' },
];

const idOf = ({ terminalId }: { terminalId: string }) => terminalId;

/** `auto-terminal fleet run LABELS -- COMMAND`. */
export function fleetRun(context: Context): Command {
  return verb('run', 'Run a command in the terminals with these labels, on all machines')
    .argument('<labels>', 'labels that a terminal must have, such as role=test,repo=api')
    .argument('<command...>', 'one shell command line, or words that are quoted for the shell')
    .option('-t, --timeout <seconds>', 'how long to wait for its end', waitSeconds, DEFAULT_TIMEOUT_S)
    .addOption(OUTPUT)
    .addOption(QUIET)
    .passThroughOptions()
    .action(async (labels: string, words: string[], { timeout, ...options }: Options) => {
      context.leave = () => undefined;
      const line = shellLine(
        commandAfter(words, (option) => `auto-terminal fleet run ${option} ... ${labels} -- COMMAND`),
      );
      const selected = context.client(options).select(labels);
      const asked = { machines: 'all' as const, timeoutMs: msOf(timeout), signal: context.signal };
      const { results, machines } = await selected.run(line, asked);
      await printRows(context, results, options, { columns: RESULTS, id: idOf, name: 'results' });
      const unknown = unknownOf(machines);
      sayUnknown(context, unknown);
      if (results.length === 0 && unknown.length === 0) throw noMatch(labels);
      if (results.some(({ success, done, exitCode }) => !success || (done && exitCode !== 0)))
        context.exitCode = EXIT.failed;
      else if (results.some(({ done }) => !done)) context.exitCode = EXIT.timedOut;
      else if (unknown.some(({ code }) => code !== NOTHING)) context.exitCode = EXIT.tryAgain;
      else if (unknown.length > 0) context.exitCode = EXIT.denied;
    });
}

/** `auto-terminal fleet wait LABELS`. */
export function fleetWait(context: Context): Command {
  const events: readonly Occurrence[] = ['waiting', 'idle', 'working', 'failed', 'finished', 'exited'];
  return verb('wait', 'Wait until something has happened in the terminals with these labels, on all machines')
    .argument('<labels>', 'labels that a terminal must have, such as role=test,repo=api')
    .addOption(new Option('-u, --until <events...>', 'what to wait for').choices(events))
    .addOption(
      new Option('-m, --mode <mode>', 'in how many terminals').choices(['any', 'all']).default('any'),
    )
    .option('-t, --timeout <seconds>', 'how long to wait', waitSeconds, DEFAULT_TIMEOUT_S)
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(
      async (
        labels: string,
        { timeout, until, mode, ...options }: Options & { until?: Occurrence[]; mode: 'any' | 'all' },
      ) => {
        context.leave = () => undefined;
        const { done, results, summary, machines } = await context
          .client(options)
          .select(labels)
          .wait({
            ...{ machines: 'all', mode, until: until ?? ['waiting', 'failed', 'exited'] },
            ...{ timeoutMs: msOf(timeout), signal: context.signal },
          });
        await printRows(context, results, options, { columns: OCCURRENCES, id: idOf, name: 'results' });
        const unknown = unknownOf(machines);
        sayUnknown(context, unknown);
        if (summary.total === 0 && unknown.length === 0) throw noMatch(labels);
        if (!done) context.exitCode = summary.pending > 0 ? EXIT.timedOut : EXIT.failed;
      },
    );
}

function exitOf({ exitCode, done, code }: RunResult): string {
  if (code !== undefined) return code;
  return done ? String(exitCode ?? 'unknown') : 'goes on';
}

/** Returns the machines that may have unknown terminals with these labels. */
function unknownOf(machines: readonly Part[] = []): Part[] {
  return machines.filter(
    ({ code, terminalIds }) => code !== undefined && (code !== NOTHING || terminalIds !== undefined),
  );
}

function sayUnknown(context: Context, unknown: readonly Part[]): void {
  for (const { deviceName, machineId, code, terminalIds = [] } of unknown)
    context.say(`auto-terminal: ${[`${deviceName} (${machineId})`, ...terminalIds].join(' ')}: ${code}`);
}
