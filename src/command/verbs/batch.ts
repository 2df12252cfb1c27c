import { Command } from 'commander';
import type { RunHandle, RunResult } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { type Column, durationOf, type FormatOptions, OUTPUT, printRows, QUIET } from '../format.js';
import { PrefixedLines, prefixesOf } from '../prefixed-lines.js';
import { shellLine } from '../shell-line.js';
import { ALL, manyTargets, SELECTOR, type TargetOptions } from '../targets.js';
import { collect, verb } from '../verb.js';
import { secondsOf } from './exec.js';

type Options = CommonOptions & FormatOptions & TargetOptions & { target?: string[]; timeout: number };

const DEFAULT_TIMEOUT_S = 3_600;

const COLUMNS: readonly Column<RunResult>[] = [
  { title: 'ID', value: ({ terminalId }) => terminalId },
  {
    title: 'EXIT',
    value: ({ exitCode, reason, done }) => String(exitCode ?? (done ? (reason ?? '?') : 'running')),
  },
  { title: 'TOOK', value: ({ durationMs }) => (durationMs === null ? '' : durationOf(durationMs)) },
  { title: 'FAILURE', value: ({ error = '' }) => error },
];

/** `auto-terminal batch`: the same in many terminals. */
export function batch(context: Context): Command {
  const group = new Command('batch').description('Do the same in many terminals').enablePositionalOptions();
  group.addCommand(
    verb('run', 'Run a command in many terminals: their output, and a table of exit codes')
      .argument('<command...>', 'one shell command line, or words that are quoted for the shell')
      .addOption(SELECTOR)
      .addOption(ALL)
      .option('--target <target>', 'a terminal; may be repeated', collect)
      .option('-t, --timeout <seconds>', 'how long to wait for the ends', secondsOf, DEFAULT_TIMEOUT_S)
      .addOption(OUTPUT)
      .addOption(QUIET)
      .passThroughOptions()
      .action(async (words: string[], options: Options) => {
        const client = context.client(options);
        const ids = await manyTargets(context, client, options.target ?? [], options);
        if (ids.length === 0) {
          context.say('auto-terminal: no terminal has these labels');
          context.exitCode = EXIT.notFound;
          return;
        }
        const call = { timeoutMs: options.timeout * 1_000, signal: context.signal };
        const run = await client.select(ids).start(shellLine(words), call);
        const isShown = options.output === undefined && !options.quiet;
        const results = await printed(context, run, isShown ? await prefixesOf(client, ids) : undefined);
        const id = ({ terminalId }: RunResult) => terminalId;
        await printRows(context, results, options, { columns: COLUMNS, id, name: 'results' });
        context.exitCode = Math.max(...results.map(codeOf));
      }),
  );
  return group;
}

/** Writes the output as it comes, with the names of the terminals if there are any; resolves with the results. */
async function printed(
  context: Context,
  run: RunHandle,
  names: ReadonlyMap<string, string> | undefined,
): Promise<RunResult[]> {
  const printer = new PrefixedLines(names ?? new Map());
  const results: RunResult[] = [];
  for await (const event of run.stream({ signal: context.signal })) {
    if (event.type === 'result') results.push(event);
    if (names === undefined) continue;
    if (event.type === 'output') await context.write(printer.take(event.terminalId, event.text));
    if (event.type === 'gap') context.say(`auto-terminal: output of ${event.terminalId} is missing here`);
    if (event.type === 'result') await context.write(printer.rest(event.terminalId));
  }
  return results;
}

/** Returns the exit code of one command, or of what kept it from having one. */
function codeOf({ exitCode, success, done }: RunResult): number {
  if (exitCode !== null) return exitCode;
  return success && !done ? EXIT.timedOut : EXIT.ownFailure;
}
