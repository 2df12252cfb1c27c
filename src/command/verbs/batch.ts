import { Command } from 'commander';
import type { RunHandle, RunResult } from '../../client/index.js';
import type { Context } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { type Column, durationOf, type FormatOptions, OUTPUT, printRows, QUIET } from '../format.js';
import { type GateFlags, wishOf, withGate } from '../gate-options.js';
import { lostBegin, lostEnd } from '../lost-end.js';
import { type ManyOptions, manyOf, withMany } from '../many.js';
import { MISSING_OUTPUT } from '../missing-output.js';
import { PrefixedLines, prefixesOf } from '../prefixed-lines.js';
import { Progress } from '../progress.js';
import { shellLine } from '../shell-line.js';
import { msOf, verb, waitSeconds } from '../verb.js';
import { batchClose, batchKeys, batchLabel, batchPrompt, batchSend } from './batch-each.js';

type Options = FormatOptions & GateFlags & ManyOptions & { timeout: number };

const DEFAULT_TIMEOUT_S = 3_600;

/** Most terminals that a line of advice names. */
const MOST_NAMED = 10;

/** @param names - by id, as the lines of output have them */
const columns = (names: ReadonlyMap<string, string> | undefined): readonly Column<RunResult>[] => [
  { title: 'ID', value: ({ terminalId }) => terminalId },
  { title: 'NAME', value: ({ terminalId }) => names?.get(terminalId) ?? '' },
  {
    title: 'EXIT',
    value: ({ exitCode, reason, done, success }) =>
      String(exitCode ?? (done || !success ? (reason ?? '?') : 'running')),
  },
  { title: 'TOOK', value: ({ durationMs }) => (durationMs === null ? '' : durationOf(durationMs)) },
  { title: 'FAILURE', value: ({ error = '' }) => error },
];

/** `auto-terminal batch`: the same action in many terminals. */
export function batch(context: Context): Command {
  const inner = [run, batchSend, batchKeys, batchPrompt, batchLabel, batchClose].map((of) => of(context));
  const group = new Command('batch').description('Do the same in many terminals').enablePositionalOptions();
  for (const each of inner) group.addCommand(each);
  return group;
}

function run(context: Context): Command {
  return withGate(
    withMany(verb('run', 'Run a command in many terminals: their output, and a table of exit codes')),
  )
    .argument('<command...>', 'one shell command line, or words that are quoted for the shell')
    .option('-t, --timeout <seconds>', 'how long to wait for the ends', waitSeconds, DEFAULT_TIMEOUT_S)
    .addOption(OUTPUT)
    .addOption(QUIET)
    .passThroughOptions()
    .action(async (words: string[], options: Options) => {
      const client = context.client(options);
      const ids = await manyOf(context, options);
      const call = { timeoutMs: msOf(options.timeout), signal: context.signal, ...wishOf(options) };
      const begun = await client
        .select(ids)
        .start(shellLine(words), call)
        .catch((error: unknown) => {
          throw lostBegin(error);
        });
      const isShown = options.output === undefined && !options.quiet;
      const names = isShown ? await prefixesOf(client, ids) : undefined;
      const progress = new Progress(context, { total: ids.length, done: 'ended' });
      context.leave = () =>
        context.say(
          `auto-terminal: the commands go on, also where they are not typed yet, as run ${begun.runId}`,
        );
      const results = await followed(context, begun, progress, names)
        .finally(() => progress.erase())
        .catch((error: unknown) => {
          if (context.signal.aborted) context.leave?.();
          const follow = `auto-terminal logs -f ${ids.length > MOST_NAMED ? 'ID' : ids.join(' ')}`;
          throw lostEnd(error, `The commands may go on, as run ${begun.runId}; to follow them: ${follow}`);
        });
      context.leave = () => undefined;
      const id = ({ terminalId }: RunResult) => terminalId;
      await printRows(context, results, options, { columns: columns(names), id, name: 'results' });
      context.exitCode = Math.max(...results.map(codeOf));
    });
}

/** Writes the output as it arrives, with the terminals' names if `names` is given; resolves with the results. */
async function followed(
  context: Context,
  run: RunHandle,
  progress: Progress,
  names: ReadonlyMap<string, string> | undefined,
): Promise<RunResult[]> {
  const printer = new PrefixedLines(names ?? new Map());
  const results: RunResult[] = [];
  const write = async (text: string) => {
    if (text === '') return;
    progress.erase();
    await context.write(text);
    progress.draw();
  };
  for await (const event of run.stream({ signal: context.signal })) {
    if (event.type === 'result') {
      results.push(event);
      progress.advance();
    }
    if (names === undefined) continue;
    if (event.type === 'output') await write(printer.take(event.terminalId, event.text));
    if (event.type === 'gap') progress.say(`auto-terminal: ${event.terminalId}: ${MISSING_OUTPUT}`);
    if (event.type === 'result') await write(printer.rest(event.terminalId));
  }
  return results;
}

/** Returns the exit code of one command, or the code for the reason why it has none. */
function codeOf({ exitCode, success, done }: RunResult): number {
  if (exitCode !== null) return exitCode;
  return success && !done ? EXIT.timedOut : EXIT.ownFailure;
}
