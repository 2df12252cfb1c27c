import { type Command, Option } from 'commander';
import type { Occurrence, WaitManyResult } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { type Column, type FormatOptions, OUTPUT, printRows, QUIET } from '../format.js';
import { ALL, manyTargets, SELECTOR, TARGET_HELP, type TargetOptions } from '../targets.js';
import { collect, verb } from '../verb.js';
import { secondsOf } from './exec.js';

type Options = CommonOptions &
  FormatOptions &
  TargetOptions & { until?: Occurrence[]; mode: string; timeout: number; seen?: string[] };

const MAX_WAIT_MS = 3_600_000;

const COLUMNS: readonly Column<WaitManyResult>[] = [
  { title: 'ID', value: ({ terminalId }) => terminalId },
  { title: 'NAME', value: ({ name = '' }) => name },
  { title: 'EVENT', value: ({ event, code }) => event ?? code ?? 'gone' },
  { title: 'WHAT', value: whatOf },
];

/** `auto-terminal wait`: waits until terminals need somebody. */
export function wait(context: Context): Command {
  return verb('wait', 'Wait until agents ask, commands fail or end, or programs exit')
    .argument('[targets...]', TARGET_HELP)
    .addOption(SELECTOR)
    .addOption(ALL)
    .addOption(
      new Option(
        '-u, --until <event>',
        'what to wait for; may be repeated; waiting, failed and exited by default',
      )
        .choices(['waiting', 'idle', 'working', 'failed', 'finished', 'exited'])
        .argParser(collect),
    )
    .option('-m, --mode <mode>', 'in how many terminals: any, all, or a number', 'any')
    .option('-t, --timeout <seconds>', 'how long to wait', secondsOf, MAX_WAIT_MS / 1_000)
    .option('--seen <id>', 'id of an occurrence that has been dealt with; may be repeated', collect)
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async (targets: string[], options: Options) => {
      const client = context.client(options);
      const ids = await manyTargets(context, client, targets, options);
      const { until = ['waiting', 'failed', 'exited'], seen, timeout, mode } = options;
      const answer = await client.select(ids).wait({
        ...{ until, seen, timeoutMs: Math.min(timeout * 1_000, MAX_WAIT_MS), signal: context.signal },
        mode: mode === 'any' || mode === 'all' ? mode : Number(mode),
      });
      const id = ({ terminalId }: WaitManyResult) => terminalId;
      await printRows(context, answer.results, options, { columns: COLUMNS, id, name: 'results' });
      if (!answer.done) context.exitCode = answer.summary.pending > 0 ? EXIT.timedOut : EXIT.failed;
    });
}

function whatOf({ question, command, exitCode, signal, agentStatusReason, error }: WaitManyResult): string {
  if (question) return question;
  if (command) return `${command.exitCode ?? '?'}  ${command.commandLine}`;
  if (exitCode !== undefined) return signal ?? `exit ${exitCode ?? 'unknown'}`;
  return error ?? agentStatusReason ?? '';
}
